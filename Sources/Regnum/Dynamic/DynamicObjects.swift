internal import RegnumEngine
internal import RegnumStore

/// The objects of a class given by name: all of them, in creation order, or those that match a
/// query. Each access shows the current state of the transaction.
///
/// An error in a query's evaluation fails the transaction, as with ``Results``.
public final class DynamicObjects: _ConfinedCollection, DynamicQueryable {
    public typealias Iterator = AnyIterator<DynamicObject>

    private let store: DynamicStore
    public let _query: _DynamicQuery

    init(_ store: DynamicStore, _ query: _DynamicQuery) {
        self.store = store
        _query = query
    }

    private var className: String { _query.plan.tableName }
    private var known: (schemaID: UInt64, table: TableKey?)?
    /// The result of a query, and the state of the transaction that it belongs to.
    private var found: (rows: ResultTree, edit: UInt64)?

    /// `nil` if nothing of the class was ever stored.
    private var table: TableKey? {
        let schemaID = store.core.schemaID
        if let known, known.schemaID == schemaID { return known.table }
        let table = store.table(named: className)?.key
        known = (schemaID, table)
        return table
    }

    /// The rows that the query finds in the current state; `nil` for all objects of the class.
    private var rows: ResultTree? {
        if _query.isAll { return nil }
        store.requireLive("count")
        let edit = store.core.editCount
        if let found, found.edit == edit { return found.rows }
        let rows = store.core.attempt { () throws(Realm.Error) in try _ask(.rows) }
        found = (rows ?? ResultTree(), edit)
        return found?.rows
    }

    public var endIndex: Int {
        if let rows { return rows.count }
        store.requireLive("count")
        return table.map { store.count($0) } ?? 0
    }

    /// The object at a position.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n).
    public subscript(position: Int) -> DynamicObject {
        guard let table, position >= 0, position < count else {
            if let table, store.core.hasFailed { return DynamicObject(store, table, .nowhere) }
            fatalError(
                "Index \(position) of DynamicObjects of \(className) is out of range: the count is "
                    + "\(count)."
                    + ReadScope.callSiteMessage)
        }
        return DynamicObject(store, table, rows?[position] ?? store.key(table, at: position))
    }

    public func _elements(at positions: Range<Int>) -> _TakenElements<DynamicObject> {
        let positions = positions.clamped(to: 0..<count)
        guard let table, !positions.isEmpty else { return _TakenElements(count: 0) { _ in nil } }
        if let rows { return store.objects(table, positions.map { rows[$0] }) }
        let first = store.key(table, at: positions.lowerBound)
        return store.objects(table, store.keys(table, from: first, limit: positions.count))
    }

    /// Returns an iterator that reads the objects in batches. It skips objects that are deleted
    /// during the iteration, and doesn't include those that are created.
    public func makeIterator() -> AnyIterator<DynamicObject> {
        let count = count
        guard let table, count > 0 else { return AnyIterator { nil } }
        if !_query.isAll { return AnyIterator(ConfinedIterator(_elements(at: 0..<count))) }
        let end = store.key(table, at: count - 1)
        var next = ObjectKey(rawValue: 0)
        var pending: ArraySlice<ObjectKey> = []
        return AnyIterator { [store] in
            store.requireLive("makeIterator")
            while true {
                if pending.isEmpty {
                    pending = store.keys(table, from: next, limit: 1_024)[...]
                    guard let last = pending.last else { return nil }
                    next = ObjectKey(rawValue: last.rawValue + 1)
                }
                let key = pending.removeFirst()
                if end < key { return nil }
                if store.contains(table, key) { return DynamicObject(store, table, key) }
            }
        }
    }

    /// Returns a page of the objects: the first ones or, with the cursor of another page, those
    /// that follow it. See ``FrozenResults/page(after:limit:)``.
    public func page(
        after cursor: PageCursor? = nil, limit: Int
    ) throws(Realm.Error) -> ResultsPage<DynamicObject> {
        let found = try rowPage(after: cursor, limit: limit)
        let table = table ?? TableKey(rawValue: 0)  // without a class there are no rows
        return ResultsPage(found) { DynamicObject(store, table, $0) }
    }

    public func _with(_ query: _DynamicQuery) -> DynamicObjects { DynamicObjects(store, query) }

    public var _classes: _DynamicClasses {
        store.requireLive("dynamicObjects")
        return _DynamicClasses(realm: store.core.realm, database: store.schema)
    }

    public func _ask<Answer>(_ question: _DynamicQuestion<Answer>) throws(Realm.Error) -> Answer {
        store.requireLive("dynamicObjects")
        guard let state = store.core.queryState else {
            preconditionFailure("A query outlived its transaction.")
        }
        return try engine { () throws(StoreError) in try question.ask(_query.plan, state) }
    }
}

@available(*, unavailable) extension DynamicObjects: Sendable {}

extension DynamicObject: FrozenOperand {
    var operandClass: String { className }

    var operandTable: TableSchema? { store.stored(table) }

    func row(in scope: QueryScope) -> ObjectKey? {
        store.requireLive("filter")
        guard scope.checkRealm(store.core.realm, className) else { return nil }
        scope.note(OperandClass(name: StoredText(className), table: table))
        return row
    }
}

package import RegnumEngine
internal import RegnumStore

extension Snapshot {
    /// Returns all objects of the class with the given name. The program doesn't need to declare
    /// the class.
    ///
    ///     let dogs = try snapshot.dynamicObjects("Dog").filter("age > 3")
    ///     for dog in dogs { print(dog.name ?? "", dog["owner"] ?? "") }
    ///
    /// - Throws: `.invalidInput` if neither the realm nor the program has a class with that name;
    ///   `.schemaMismatch` for a class of the program that a newer program has renamed or removed.
    /// - Complexity: O(1). Nothing is read until objects are accessed.
    public func dynamicObjects(_ className: String) throws(Realm.Error) -> FrozenDynamicObjects {
        if StoredClasses(core.root.schema).schema(named: className) == nil {
            try core.realm.checkUnstored(className, in: core.root.schema)
        }
        return FrozenDynamicObjects(core, _DynamicQuery(className))
    }
}

/// The objects of a class given by name in a snapshot: all of them, in creation order, or those
/// that match a query.
///
/// An error in a query's evaluation fails the read: see ``Snapshot/read(_:)``.
public struct FrozenDynamicObjects: RandomAccessCollection, DynamicQueryable, Sendable {
    private let snapshot: SnapshotCore
    public let _query: _DynamicQuery
    /// The result, evaluated when it is first used.
    private let known = Guarded<ResultTree?>(nil)

    init(_ snapshot: SnapshotCore, _ query: _DynamicQuery) {
        self.snapshot = snapshot
        _query = query
    }

    private var rows: ResultTree {
        if let known = known.withLock({ $0 }) { return known }
        return snapshot.answer(ResultTree()) { () throws(Realm.Error) in
            let found = try _ask(.rows)
            known.withLock { $0 = found }
            return found
        }
    }

    public var startIndex: Int { 0 }

    public var endIndex: Int { rows.count }

    /// The object at a position.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n) once the query is evaluated.
    public subscript(position: Int) -> FrozenDynamicObject {
        let rows = rows
        let table = snapshot.root.schema.table(named: _query.plan.tableName)?.key
        guard let table, position >= 0, position < rows.count else {
            if ReadScope.hasFailed {
                return FrozenDynamicObject(snapshot, TableKey(rawValue: 0), .nowhere)
            }
            fatalError(
                "Index \(position) of FrozenDynamicObjects of \(_query.plan.tableName) is out of "
                    + "range: the count is \(rows.count)." + ReadScope.callSiteMessage)
        }
        let row = snapshot.answer(ObjectKey.nowhere) { () throws(Realm.Error) in
            try snapshot.checked { () throws(StoreError) in rows[position] }
        }
        return FrozenDynamicObject(snapshot, table, row)
    }

    /// Returns a page of the objects: the first ones or, with the cursor of another page, those
    /// that follow it. See ``FrozenResults/page(after:limit:)``.
    public func page(
        after cursor: PageCursor? = nil, limit: Int
    ) throws(Realm.Error) -> ResultsPage<FrozenDynamicObject> {
        let found = try rowPage(after: cursor, limit: limit)
        // Without a class there are no rows.
        let table = snapshot.root.schema.table(named: _query.plan.tableName)?.key
        return ResultsPage(found) {
            FrozenDynamicObject(snapshot, table ?? TableKey(rawValue: 0), $0)
        }
    }

    public func _with(_ query: _DynamicQuery) -> FrozenDynamicObjects {
        FrozenDynamicObjects(snapshot, query)
    }

    public var _classes: _DynamicClasses {
        _DynamicClasses(realm: snapshot.realm, database: snapshot.root.schema)
    }

    public func _ask<Answer>(_ question: _DynamicQuestion<Answer>) throws(Realm.Error) -> Answer {
        try snapshot.checked { () throws(StoreError) in
            try question.ask(
                _query.plan, QueryState(snapshot.root, snapshot.realm.queryCounters))
        }
    }
}

extension Snapshot {
    /// Returns the rows that a predicate string finds in a class, for programs that don't know the
    /// class.
    package func rows(
        _ className: String, matching predicate: String
    ) throws(Realm.Error) -> ResultTree {
        try dynamicObjects(className).filter(predicate)._ask(.rows)
    }
}

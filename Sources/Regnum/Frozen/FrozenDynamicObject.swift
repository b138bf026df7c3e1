internal import RegnumEngine
internal import RegnumStore

/// An object of a snapshot, accessed using only the stored schema.
///
/// Properties have their stored names and stored form: an enum as its raw value, a property of a
/// projected type as its persisted value. Links are dynamic objects, lists and sets are arrays, and
/// maps dictionaries, including those in an `AnyRealmValue`. The program doesn't need to declare
/// the class.
@dynamicMemberLookup
public struct FrozenDynamicObject: Sendable {
    let snapshot: SnapshotCore
    let table: TableKey
    let row: ObjectKey

    init(_ snapshot: SnapshotCore, _ table: TableKey, _ row: ObjectKey) {
        self.snapshot = snapshot
        self.table = table
        self.row = row
    }

    private var root: DatabaseRoot { snapshot.root }
    private var stored: TableSchema { root.schema.tables[Int(table.rawValue)] }

    /// The name of the class.
    public var className: String { stored.name }

    /// The names of the stored properties, in alphabetical order.
    public var propertyNames: [String] {
        let columns = stored.columns.filter { !$0.isDropped }.map(\.name)
        let lists = stored.lists.filter { !$0.isDropped && $0.name.itemsProperty == nil }
        return (columns + lists.map(\.name)).sorted()
    }

    /// The value of a property by name, which may be `nil`.
    ///
    /// An unknown name or a damaged file fails the read: see ``Snapshot/read(_:)``. ``value(of:)``
    /// throws these errors.
    public subscript(_ name: String) -> Any? {
        snapshot.answer(Any?.none) { () throws(Realm.Error) in try value(of: name) }
    }

    /// The value of a property by name, like ``subscript(_:)``.
    public subscript(dynamicMember name: String) -> Any? { self[name] }

    /// Returns the value of a property, which may be `nil`.
    ///
    /// - Throws: `.invalidInput` for an unknown property name; `.invalidValue` for a map or
    ///   dictionary with keys that differ in their bytes but are equal as Swift strings;
    ///   `.invalidDatabase` if the file is damaged.
    /// - Complexity: O(log n); O(m) for a collection of m elements.
    public func value(of name: String) throws(Realm.Error) -> Any? {
        do throws(Realm.Error) {
            return try read(name)
        } catch {
            var error = error
            error.className = error.className ?? className
            error.property = error.property ?? name
            throw error
        }
    }

    private func read(_ name: String) throws(Realm.Error) -> Any? {
        if let column = stored.column(named: name), !column.isDropped {
            return try value(column, of: row, stored, level: 0)
        }
        guard name.itemsProperty == nil, let list = stored.list(named: name), !list.isDropped else {
            throw .unknownProperty(name, of: className, with: propertyNames)
        }
        let target = root.schema.tables[Int(list.target.rawValue)]
        let rows = try rows(list.key, of: row, stored)
        if list.kind == .map { return try entries(rows, target, level: 0) }
        return try elements(rows, target, level: 0)
    }

    // MARK: Reading

    private func value(
        _ column: ColumnSchema, of row: ObjectKey, _ table: TableSchema, level: Int
    ) throws(Realm.Error) -> Any? {
        let value = try raw(column.key, of: row, table)
        if let target = column.linkTarget {
            return value.linkedObject.map { FrozenDynamicObject(snapshot, target, $0) }
        }
        switch value.anyContent {
        case .link(let target, let key):
            return FrozenDynamicObject(snapshot, try root.schema.anyTarget(target).key, key)
        case .list, .dictionary:
            let name = PropertySchema.anyItemsName(of: column.name)
            guard let list = table.list(named: name) else {
                throw .missingItems(table.name, column.name)
            }
            if table.kind == .elements,
                let problem = root.ownershipProblem(of: row, in: table.key, level: level + 1)
            {
                throw .naming(problem, in: root.schema)
            }
            let target = root.schema.tables[Int(list.target.rawValue)]
            let rows = try rows(list.key, of: row, table)
            if case .list? = value.anyContent {
                return try elements(rows, target, level: level + 1)
            }
            return try entries(rows, target, level: level + 1)
        default: return value.anyValue(as: column.scalarType)
        }
    }

    private func elements(
        _ rows: [ObjectKey], _ table: TableSchema, level: Int
    ) throws(Realm.Error) -> [Any?] {
        var elements: [Any?] = []
        for row in rows {
            if table.kind == .elements, let column = table.columns.first {
                elements.append(try value(column, of: row, table, level: level))
            } else {
                elements.append(FrozenDynamicObject(snapshot, table.key, row))
            }
        }
        return elements
    }

    private func entries(
        _ rows: [ObjectKey], _ table: TableSchema, level: Int
    ) throws(Realm.Error) -> [String: Any?] {
        var entries: [String: Any?] = [:]
        var keys: [String] = []
        for row in rows {
            guard case .string(let key) = try raw(.mapKey, of: row, table) else {
                throw .missingRow("key of \(table.name)")
            }
            keys.append(key)
            entries.updateValue(
                try value(table.columns[0], of: row, table, level: level), forKey: key)
        }
        if let key = EqualKeys.first(in: keys) { throw .equalKeys(key) }
        return entries
    }

    private func raw(
        _ column: ColumnKey, of row: ObjectKey, _ table: TableSchema
    ) throws(Realm.Error) -> Value {
        let value = try snapshot.checked { () throws(StoreError) in
            root.value(table.key, row, column)
        }
        guard let value else { throw .missingRow(table.name) }
        return value
    }

    private func rows(
        _ list: ListKey, of row: ObjectKey, _ table: TableSchema
    ) throws(Realm.Error) -> [ObjectKey] {
        try snapshot.checked { () throws(StoreError) in root.list(table.key, row, list) }
    }
}

extension FrozenDynamicObject: Hashable {
    /// Whether both are the same object in the same version.
    public static func == (a: FrozenDynamicObject, b: FrozenDynamicObject) -> Bool {
        a.table == b.table && a.row == b.row && a.root === b.root
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(table)
        hasher.combine(row)
    }
}

extension FrozenDynamicObject: FrozenOperand {
    var operandClass: String { className }

    var operandTable: TableSchema? { stored }

    func row(in scope: QueryScope) -> ObjectKey? {
        guard scope.checkRealm(snapshot.realm, className) else { return nil }
        scope.note(OperandClass(name: stored.$name, table: table))
        return row
    }
}

import RegnumStore

/// What a list of rows is to the program. The engine keeps all of them alike; what it means for the
/// order and the elements is for those who edit it. The raw values are part of the file format.
package enum ListKind: UInt8, Hashable, Sendable {
    /// In the order that the program gives it.
    case list = 0
    /// Each value, or object, once: values in ascending order (`Value.compare`), objects in that of
    /// their keys.
    case set = 1
    /// One element for each key, in ascending order of the keys. The elements have a class of their
    /// own, with the columns `value` and `key`, a string.
    case map = 2
}

/// A list property of a class: each row has an ordered list of rows of the target class, in which
/// one may stand several times.
package struct ListSchema: Hashable, Sendable {
    package let key: ListKey
    /// Unique among the class's columns and lists.
    package let name: String
    /// The class whose rows the list holds.
    package let target: TableKey
    package let kind: ListKind
}

/// A list of a class of the realm.
struct ListPlace: Hashable, Comparable, Sendable {
    let table: TableKey
    let list: ListKey

    static func < (a: ListPlace, b: ListPlace) -> Bool { (a.table, a.list) < (b.table, b.list) }
}

extension String {
    /// Of the name of the list of what lies in values of any type, `property[]`, that of the property; nil
    /// for other names.
    package var itemsProperty: String? { hasSuffix("[]") ? String(dropLast(2)) : nil }
}

extension TableSchema {
    /// The list of that name (compared by UTF-8 bytes), or nil.
    package func list(named name: String) -> ListSchema? {
        lists.first { equalUTF8($0.name, name) }
    }
}

extension DatabaseSchema {
    /// The schema with one more list in `table`, whose key is the number of lists so far.
    func adding(
        list name: String, target: TableKey, _ kind: ListKind, to table: TableKey
    ) -> DatabaseSchema {
        var tables = tables
        let old = tables[table.index]
        let key = ListKey(rawValue: UInt16(old.lists.count))
        tables[table.index] = TableSchema(
            key: table, name: old.name, kind: old.kind, columns: old.columns,
            lists: old.lists + [ListSchema(key: key, name: name, target: target, kind: kind)])
        return DatabaseSchema(tables: tables, version: version)
    }
}

extension TableSchema {
    /// The class with all these lists, whose targets exist. Throws `invalidInput` as
    /// `SchemaRules.check(newList:)`.
    func adding(
        _ lists: [(name: String, target: TableKey, kind: ListKind)]
    ) throws(StoreError) -> TableSchema {
        if lists.isEmpty { return self }
        var names = Set(columns.map { Array($0.name.utf8) })
        var result: [ListSchema] = []
        for (index, list) in lists.enumerated() {
            try SchemaRules.check(propertyName: list.name, of: name)
            guard names.insert(Array(list.name.utf8)).inserted else {
                throw SchemaRules.duplicate(list.name, name)
            }
            result.append(
                ListSchema(
                    key: ListKey(rawValue: UInt16(index)), name: list.name, target: list.target,
                    kind: list.kind))
        }
        try SchemaRules.checkTreeCount(self, adding: 2 * lists.count, lists[0].name)
        return TableSchema(key: key, name: name, kind: kind, columns: columns, lists: result)
    }
}

extension SchemaRules {
    static func check(
        newList name: String, target: TableKey, of table: TableSchema, in schema: DatabaseSchema
    ) throws(StoreError) {
        try check(propertyName: name, of: table.name)
        guard table.column(named: name) == nil, table.list(named: name) == nil else {
            throw duplicate(name, table.name)
        }
        guard target.index < schema.tables.count else {
            throw StoreError(
                .invalidInput,
                "The list '\(table.name).\(name)' is of a class that does not exist.",
                className: table.name, property: name)
        }
        try checkTreeCount(table, adding: 2, name)
    }

    /// The table node has room for so many trees: one of each index, two of each list.
    static func checkTreeCount(
        _ table: TableSchema, adding count: Int, _ name: String
    ) throws(StoreError) {
        let indexCount = table.columns.count(where: \.hasIndex)
        guard indexCount + 2 * table.lists.count + count <= Limits.treeCountMax else {
            throw StoreError(
                .invalidInput,
                "The class '\(table.name)' can have at most \(Limits.treeCountMax) indexes, "
                    + "a list counting as two.", className: table.name, property: name)
        }
    }
}

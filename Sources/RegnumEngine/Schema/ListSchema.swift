import RegnumStore

/// The kind of a list property. The engine stores all kinds as lists; the code that edits them
/// maintains the order and uniqueness of elements. The raw values are part of the file format.
package enum ListKind: UInt8, Hashable, Sendable {
    /// Elements in the order that the program chooses.
    case list = 0
    /// Unique elements: values in ascending order (`Value.compare`), objects in the order of their
    /// keys.
    case set = 1
    /// One element for each key, in ascending order of the keys. The elements are rows of an
    /// element class with the columns `value` and `key`, a string.
    case map = 2
}

/// A list property of a class: in each row, an ordered list of rows of the target class, with
/// possible repetitions.
package struct ListSchema: Hashable, Sendable {
    package let key: ListKey
    /// Unique among the class's columns and lists.
    @StoredText package var name: String
    /// The class of the list's elements.
    package let target: TableKey
    package let kind: ListKind
    /// Whether a list of doubles has a geospatial index, which finds the rows whose first two
    /// elements are the longitude and the latitude of a point in an area.
    package var isGeoIndexed = false

    /// The number of the list's trees: elements, backlinks, and the geospatial index.
    var treeCount: Int { isGeoIndexed ? 3 : 2 }
}

/// A list of a particular class.
struct ListPlace: Hashable, Comparable, Sendable {
    let table: TableKey
    let list: ListKey

    static func < (a: ListPlace, b: ListPlace) -> Bool { (a.table, a.list) < (b.table, b.list) }
}

extension String {
    /// The name of the property in `property[]`, the name of the list with the items of a column of
    /// any type; `nil` for other names.
    package var itemsProperty: String? {
        // By bytes, because some characters join the bracket that follows them.
        utf8.suffix(2).elementsEqual("[]".utf8)
            ? String(decoding: utf8.dropLast(2), as: UTF8.self) : nil
    }
}

extension DatabaseSchema {
    /// Returns whether the positions of a class's rows in a set, map or dictionary depend on a
    /// column: whether it has the values of a set, or the keys of a map or dictionary.
    func orders(_ column: ColumnKey, of table: TableSchema) -> Bool {
        guard table.kind == .elements, column.index < 2 else { return false }
        return relations[table.key.index].incomingLists.contains { place in
            let owners = tables[place.table.index]
            let list = owners.lists[place.list.index]
            switch list.kind {
            case .set: return column.index == 0
            case .map: return column.index == 1
            case .list: return column.index == 1 && owners.column(ofItems: list) != nil
            }
        }
    }

    /// Returns the schema with an additional list in `table`. Its key is the previous number of
    /// lists.
    func adding(
        list name: String, target: TableKey, _ kind: ListKind, to table: TableKey
    ) -> DatabaseSchema {
        replacing(tables[table.index].adding(list: name, target: target, kind))
    }
}

extension TableSchema {
    /// Returns the class with an additional list. Its key is the previous number of lists.
    func adding(list name: String, target: TableKey, _ kind: ListKind) -> TableSchema {
        let key = ListKey(rawValue: UInt16(lists.count))
        let list = ListSchema(key: key, name: name, target: target, kind: kind)
        return with(lists: lists + [list])
    }

    /// Returns the list with that name (compared by UTF-8 bytes), or `nil`.
    package func list(named name: String) -> ListSchema? {
        lists.first { equalUTF8($0.name, name) }
    }

    /// Returns the column of any type whose items a list contains, or `nil` for other lists.
    func column(ofItems list: ListSchema) -> ColumnSchema? {
        list.name.itemsProperty.flatMap { column(named: $0) }
    }

    /// Returns the class with the given lists, whose targets must exist. Throws `invalidInput` like
    /// `SchemaRules.check(newList:)`, which also checks the targets.
    func adding(
        _ lists: [ListSchema]
    ) throws(StoreError) -> TableSchema {
        if lists.isEmpty { return self }
        var names = Set(columns.map { Array($0.name.utf8) })
        for list in lists {
            try SchemaRules.check(propertyName: list.name, of: name)
            guard names.insert(Array(list.name.utf8)).inserted else {
                throw SchemaRules.duplicate(list.name, name)
            }
        }
        let treeCount = lists.reduce(0) { $0 + $1.treeCount }
        try SchemaRules.checkTreeCount(self, adding: treeCount, lists[0].name)
        return with(lists: lists)
    }
}

extension SchemaRules {
    static func check(
        newList name: String, target: TableKey, _ kind: ListKind, of table: TableSchema,
        in tables: [TableSchema]
    ) throws(StoreError) {
        try check(newName: name, in: table)
        guard target.index < tables.count else {
            throw refused(table.name, name, because: "has elements of a class that does not exist")
        }
        try check(entriesOf: kind, name, of: table.name, tables[target.index])
        try checkTreeCount(table, adding: 2, name)
    }

    /// Checks that the class of a map's entries has the columns of values and keys.
    static func check(
        entriesOf kind: ListKind, _ name: String, of table: String, _ target: TableSchema
    ) throws(StoreError) {
        guard kind == .map, target.columns.count < 2 || target.columns[1].type != .string else {
            return
        }
        throw refused(table, name, because: "has entries without keys")
    }

    /// Checks that a geospatial index can be added to an existing list.
    static func check(
        newGeoIndex list: ListKey, of table: TableSchema, in tables: [TableSchema]
    ) throws(StoreError) {
        guard list.index < table.lists.count else {
            throw refused("The class \(table.name) has no list \(list.rawValue).", table.name)
        }
        let list = table.lists[list.index]
        guard !list.isGeoIndexed else {
            throw refused(table.name, list.name, because: "already has a geospatial index")
        }
        try checkCanHavePoints(list, of: table.name, tables[list.target.index])
        try checkTreeCount(table, adding: 1, list.name)
    }

    /// Checks that a list can have a geospatial index.
    static func checkCanHavePoints(
        _ list: ListSchema, of table: String, _ target: TableSchema
    ) throws(StoreError) {
        guard list.kind == .list, target.kind == .elements,
            target.columns.first?.scalarType == .double
        else {
            throw refused(
                table, list.name,
                because: "cannot have a geospatial index: only lists of doubles can")
        }
    }

    /// Checks that the table node has room for all trees: one for each index, including full-text
    /// and geospatial indexes, and two for each list.
    static func checkTreeCount(
        _ table: TableSchema, adding count: Int, _ name: String
    ) throws(StoreError) {
        let indexCount = table.columns.reduce(0) { $0 + $1.definition.treeCount }
        let listTreeCount = table.lists.reduce(0) { $0 + $1.treeCount }
        guard indexCount + listTreeCount + count <= Limits.maximumTreeCount else {
            throw refused(
                "The class \(table.name) can have at most \(Limits.maximumTreeCount) indexes, "
                    + "where a list counts as two.", table.name, name)
        }
    }
}

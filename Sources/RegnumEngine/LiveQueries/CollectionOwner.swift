import RegnumStore

/// The owner of a list or inverse that is followed by the owner's primary key, or by links from the
/// row with that key, or that is one particular row. The collection is empty while there is no
/// owner.
package struct CollectionOwner: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case list
        /// The rows of the query's class whose link or list `name` leads to the owner.
        case backlinks
        /// The owner itself.
        case object
    }

    /// A link from a row to the next one.
    package struct Link: Hashable, Sendable {
        @StoredText package var tableName: String
        @StoredText package var column: String

        package init(tableName: String, column: String) {
            self.tableName = tableName
            self.column = column
        }
    }

    @StoredText package var tableName: String
    /// The name of the primary key.
    @StoredText package var keyColumn: String
    package var key: Value
    /// The row that is followed instead of a primary key.
    package var fixedRow: ObjectKey?
    /// The class of the row that is followed. A later one with the same name may have other rows.
    package var fixedTable: TableKey?
    /// The links from the row with the key to the owner.
    package var links: [Link] = []
    package var kind: Kind
    /// The name of the list, or of the origin's property.
    @StoredText package var name: String
    /// Whether the collection runs through the rows of a hidden entries class: it is the objects of
    /// a map, or the inverse of a map.
    package var leadsThroughEntries = false
    /// The list or dictionary within a value of any type; `nil` for the list `name` itself.
    package var nested: NestedCollection?

    package init(tableName: String, keyColumn: String, key: Value, kind: Kind, name: String) {
        self.tableName = tableName
        self.keyColumn = keyColumn
        self.key = key
        self.kind = kind
        self.name = name
    }

    /// Whether the owner isn't simply the row with the key.
    var isIndirect: Bool { fixedRow != nil || !links.isEmpty }

    /// The classes whose changes can make another row the owner, and that of the owner.
    var tableNames: [StoredText] { links.map(\.$tableName) + [$tableName] }

    /// Returns the owner at a version, or `nil` if there is none.
    package func row(_ root: DatabaseRoot) -> ObjectKey? {
        let first = links.first?.tableName ?? tableName
        guard let table = root.schema.table(named: first) else { return nil }
        var row: ObjectKey?
        if let fixedRow {
            row = table.key == fixedTable && root.contains(table.key, fixedRow) ? fixedRow : nil
        } else if table.primaryKey != nil {
            row = root.find(table.key, primaryKey: key)
        }
        for link in links {
            guard let from = row, let table = root.schema.table(named: link.tableName),
                let column = table.column(named: link.column),
                case .int(let next)? = root.value(table.key, from, column.key)
            else { return nil }
            row = ObjectKey(rawValue: UInt64(bitPattern: next))
        }
        return row
    }

    /// Returns the list at a version, or `nil` if it doesn't exist then or this is an inverse.
    ///
    /// - Complexity: O(log n), and O(log² n) for each key along the way.
    package func list(_ root: DatabaseRoot) -> OwnedList? {
        guard kind == .list, let row = row(root),
            let table = root.schema.table(named: tableName), let list = table.list(named: name)
        else { return nil }
        let own = OwnedList(table: table.key, tableName: table.name, row: row, list: list)
        return nested.map { $0.find(in: own, root) } ?? own
    }

    /// The name of the hidden entries class if the collection is a map or the inverse of a map,
    /// `nil` otherwise. Derived from names, so that it is the same before the class is stored.
    func entries(of tableName: String) -> String? {
        leadsThroughEntries ? "\(kind == .list ? self.tableName : tableName).\(name)" : nil
    }

    /// Returns the query of the list or inverse at a version. It matches nothing while there is no
    /// owner.
    package func plan(_ plan: QueryPlan, at root: DatabaseRoot) -> QueryPlan {
        var plan = plan
        if nested != nil {
            if let list = list(root) {
                plan.source = .list(
                    tableName: StoredText(list.tableName), row: list.row, name: list.list.$name)
                return plan
            }
        } else if let row = row(root) {
            plan.source =
                switch kind {
                case .list: .list(tableName: $tableName, row: row, name: $name)
                case .backlinks: .backlinks(name: $name, target: $tableName, row: row)
                case .object: .table
                }
            if kind == .object { plan.predicate = .isRow([row]) }
            return plan
        }
        plan.source = .table
        plan.predicate = .constant(false)
        return plan
    }
}

/// A list of one row, looked up at one version.
package struct OwnedList: Sendable {
    package let table: TableKey
    package let tableName: String
    package let row: ObjectKey
    package let list: ListSchema

    package init(table: TableKey, tableName: String, row: ObjectKey, list: ListSchema) {
        self.table = table
        self.tableName = tableName
        self.row = row
        self.list = list
    }
}

/// The path from a list of a row to a list or dictionary within values of any type. It names
/// whatever is at that path at a version, which isn't the same collection forever.
package struct NestedCollection: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        /// The value of a dictionary for a key, given as UTF-8 bytes.
        case key([UInt8])
        case position(Int)
    }

    /// The column whose value the path starts at; `nil` if it starts at a list or map of values.
    package var column: String?
    package var steps: [Step] = []
    /// Whether the path leads only to a dictionary, so that a list in its place isn't found.
    package var isDictionary = false

    package init(column: String?) { self.column = column }

    /// Follows the path from the list of a row. Returns `nil` if it leads to something else or
    /// nothing.
    fileprivate func find(in start: OwnedList, _ root: DatabaseRoot) -> OwnedList? {
        let tables = root.schema.tables
        guard start.list.target.index < tables.count else { return nil }
        let elements = tables[start.list.target.index]
        var isMap = start.list.kind == .map
        if let name = column {
            guard let column = tables[start.table.index].column(named: name),
                let value = root.value(start.table, start.row, column.key),
                let kind = value.isAnyDictionary
            else { return nil }
            isMap = kind
        }
        var place = start
        for step in steps {
            guard let items = elements.lists.first else { return nil }
            let found: ObjectKey?
            switch step {
            case .key(let key):
                found = isMap ? root.entry(String(decoding: key, as: UTF8.self), of: place) : nil
            case .position(let position):
                found =
                    isMap || position < 0
                    ? nil
                    : root.listElement(place.table, place.row, place.list.key, at: position)
            }
            guard let found, let value = root.value(elements.key, found, ColumnKey(rawValue: 0)),
                let kind = value.isAnyDictionary
            else { return nil }
            isMap = kind
            place = OwnedList(
                table: elements.key, tableName: elements.name, row: found, list: items)
        }
        return isMap || !isDictionary ? place : nil
    }
}

extension Value {
    /// For a list or dictionary of any type, whether it is a dictionary; `nil` for other values.
    fileprivate var isAnyDictionary: Bool? {
        switch anyContent {
        case .list: false
        case .dictionary: true
        default: nil
        }
    }
}

extension DatabaseRoot {
    /// Returns the entry for a key of a map or of a dictionary within a value of any type, or
    /// `nil`.
    ///
    /// - Complexity: O(log² n).
    package func entry(_ key: String, of map: OwnedList) -> ObjectKey? {
        var low = 0
        var high = listCount(map.table, map.row, map.list.key)
        while low < high {
            let middle = low + (high - low) / 2
            guard let entry = listElement(map.table, map.row, map.list.key, at: middle) else {
                return nil
            }
            let order = compareUTF8(mapKey(entry, map.list.target), key)
            if order == 0 { return entry }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// The key of a map's entry; empty if the file is damaged and has none.
    package func mapKey(_ entry: ObjectKey, _ entries: TableKey) -> String {
        guard case .string(let key)? = value(entries, entry, ColumnKey(rawValue: 1)) else {
            return ""
        }
        return key
    }
}

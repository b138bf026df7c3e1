internal import Regnum
internal import RegnumEngine
internal import RegnumStore

// Importing the object of one line, with its embedded objects and elements.

extension Importer {
    /// The values of a line, by property.
    private typealias Given = [(property: ImportTable.Property, node: JSONNode)]

    /// Stores the object of a line in a new row, in its placeholder's row, or in the row with its
    /// primary key.
    mutating func store(
        _ values: [JSONNode.Member], _ key: UInt64?, _ table: ImportTable
    ) throws(StoreError) {
        let given = try columns(values, table)
        if let column = table.schema.primaryKey {
            let primaryKey = try self.primaryKey(given, table, column)
            let placeholder = takePlaceholder(.primaryKey(primaryKey), table.key)
            if let row = transaction.find(table.key, primaryKey: primaryKey) {
                let isPlaceholder =
                    placeholder?.row == row
                    && placeholder?.isUnchanged(table.key, transaction) == true
                if !isPlaceholder, update == .error {
                    throw transaction.duplicatePrimaryKey(
                        primaryKey, table.schema, table.schema.columns[Int(column.rawValue)])
                }
                try set(given, of: row, table, isPlaceholder ? .all : update)
                return
            }
        } else if let key, let row = state.keys[table.key]?[key] {
            guard takePlaceholder(.key(key), table.key) != nil else {
                throw StoreError(
                    .duplicatePrimaryKey,
                    "The key \(key) of the class \(table.name) appears twice in the input.",
                    className: table.name, key: "\(key)")
            }
            // unless another transaction has deleted it
            if transaction.contains(table.key, row) {
                try set(given, of: row, table, .all)
                return
            }
        }
        let row = try transaction.insert(table.key, try plainValues(given, table))
        if let key { note(key, row, table.key) }
        try set(given, of: row, table, nil)
    }

    /// Returns the members with their properties, none of which may repeat.
    private func columns(
        _ values: [JSONNode.Member], _ table: ImportTable
    ) throws(StoreError) -> Given {
        var given: [(ImportTable.Property, JSONNode)] = []
        given.reserveCapacity(values.count)
        var seen: Set<StoredText> = []
        for member in values {
            let property = try table.property(member.key)
            guard seen.insert(StoredText(member.key)).inserted else {
                throw property.problem("appears twice", .invalidInput)
            }
            given.append((property, member.value))
        }
        return given
    }

    private func primaryKey(
        _ given: Given, _ table: ImportTable,
        _ key: ColumnKey
    ) throws(StoreError) -> Value {
        for (property, node) in given {
            if case .column(let column) = property.place, column.key == key {
                return try property.value(node, column)
            }
        }
        let name = table.schema.columns[Int(key.rawValue)].name
        throw try table.property(name).problem("is the primary key and is missing")
    }

    /// Returns the values of a new row's columns. Links are null at first, so that rows are
    /// inserted in the order of their lines and can link to themselves.
    private func plainValues(
        _ given: Given, _ table: ImportTable
    ) throws(StoreError) -> [Value] {
        var values = table.defaults
        for (property, node) in given {
            guard case .column(let column) = property.place, column.linkTarget == nil,
                column.type != .any
            else { continue }
            values[Int(column.key.rawValue)] = try property.value(node, column)
        }
        return values
    }

    /// Sets the values of a line in an existing row, or the links, lists, sets and maps of a new
    /// row.
    ///
    /// - Parameter policy: `nil` for a new row.
    private mutating func set(
        _ given: Given, of row: ObjectKey, _ table: ImportTable, _ policy: Realm.UpdatePolicy?
    ) throws(StoreError) {
        for (property, node) in given {
            guard case .column(let column) = property.place else {
                try fill(property, of: row, table, node)
                continue
            }
            if column.isPrimaryKey { continue }
            if policy == nil {
                if case .null = node { continue }
                guard column.type == .any || column.linkTarget != nil else { continue }
            }
            if column.type == .any {
                let tree = try anyTree(node, property)
                guard let list = table.schema.list(named: "\(column.name)[]") else {
                    throw property.problem("is an AnyRealmValue, but has no list", .invalidDatabase)
                }
                try tx.set(tree, table.key, row, column.key, list)
                continue
            }
            let value = try value(node, column, property)
            if policy == .modified, transaction.value(table.key, row, column.key) == value {
                continue
            }
            try transaction.set(table.key, row, column.key, value)
        }
    }

    /// Returns the value for a column: a value, the row of an object, or that of a new embedded
    /// object.
    private mutating func value(
        _ node: JSONNode, _ column: ColumnSchema, _ property: ImportTable.Property
    ) throws(StoreError) -> Value {
        guard let target = column.linkTarget else { return try property.value(node, column) }
        if case .null = node { return .null }
        let row = try object(node, target, property)
        return .int(Int64(bitPattern: row.rawValue))
    }

    private mutating func object(
        _ node: JSONNode, _ target: TableKey, _ property: ImportTable.Property
    ) throws(StoreError) -> ObjectKey {
        let schema = transaction.schema.tables[Int(target.rawValue)]
        let table: ImportTable
        do throws(Realm.Error) {
            table = try self.table(named: schema.name)
        } catch {
            throw property.problem("links to \(schema.name): \(error.message)", .schemaMismatch)
        }
        guard schema.kind == .embedded else {
            return try self.target(node, table, of: property)
        }
        guard case .object(let members) = node else {
            throw property.problem(
                "cannot be \(node.shown): expected a JSON object with the properties of "
                    + "\(schema.name)"
            )
        }
        level += 1
        defer { level -= 1 }
        guard level < Limits.maximumValueLevel else {
            throw property.problem(
                "has embedded objects nested more than \(Limits.maximumValueLevel) levels deep")
        }
        let given = try columns(members, table)
        let row = try transaction.insert(table.key, try plainValues(given, table))
        try set(given, of: row, table, nil)
        return row
    }

    /// Replaces the elements of a list, set or map by those of the line.
    private mutating func fill(
        _ property: ImportTable.Property, of row: ObjectKey, _ table: ImportTable, _ node: JSONNode
    ) throws(StoreError) {
        guard case .list(let list, let target) = property.place else { return }
        if list.kind == .map {
            guard case .object(let members) = node else {
                throw property.problem("is a map and cannot be \(node.shown)")
            }
            clear(list, of: row, table)
            return try fillMap(list, target, of: row, table, property, members)
        }
        guard case .array(let nodes) = node else {
            throw property.problem("is a \(list.kind) and cannot be \(node.shown)")
        }
        if list.kind == .list { clear(list, of: row, table) }
        let contents = try contents(nodes, target, isInSet: list.kind == .set, property)
        try tx.store(contents, table.key, row, list)
    }

    /// Returns the elements of a list or set. Objects get rows.
    private mutating func contents(
        _ nodes: [JSONNode], _ target: TableSchema, isInSet: Bool,
        _ property: ImportTable.Property
    ) throws(StoreError) -> ListContents {
        guard target.kind == .elements else {
            return .rows(
                try nodes.map { (node) throws(StoreError) in
                    try object(node, target.key, property)
                })
        }
        if target.columns[0].type == .any {
            return .trees(
                try nodes.map { (node) throws(StoreError) in
                    try anyTree(node, isInSet: isInSet, property)
                })
        }
        return .values(
            try nodes.map { (node) throws(StoreError) in
                try property.value(node, target.columns[0])
            })
    }

    /// Inserts entries into an empty map.
    private mutating func fillMap(
        _ list: ListSchema, _ target: TableSchema, of row: ObjectKey,
        _ table: ImportTable, _ property: ImportTable.Property, _ members: [JSONNode.Member]
    ) throws(StoreError) {
        let members = members.sorted { StoredText.precedes($0.key, $1.key) }
        var values: [Value] = []
        var trees: [(key: String, tree: AnyTree)] = []
        for (index, member) in members.enumerated() {
            try check(key: member.key, after: index > 0 ? members[index - 1].key : nil, property)
            if target.columns[0].type == .any {
                trees.append((member.key, try anyTree(member.value, property)))
                continue
            }
            values.append(try value(member.value, target.columns[0], property))
            values.append(.string(member.key))
        }
        if !trees.isEmpty {
            let rows = try tx.insert(trees, target.key)
            try transaction.insertIntoList(table.key, row, list.key, at: 0, rows)
        } else if !values.isEmpty {
            try transaction.insertIntoList(
                table.key, row, list.key, at: 0, newRows: values, width: 2)
        }
    }

    private func clear(
        _ list: ListSchema, of row: ObjectKey, _ table: ImportTable
    ) {
        let count = transaction.listCount(table.key, row, list.key)
        if count > 0 { transaction.removeFromList(table.key, row, list.key, 0..<count) }
    }
}

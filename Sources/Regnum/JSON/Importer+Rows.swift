internal import RegnumEngine
internal import RegnumStore

// Importing the object of one line, with its embedded objects and elements.

extension Importer {
    /// Stores the object of a line in a new row, in its placeholder's row, or in the row with its
    /// primary key.
    mutating func store(
        _ values: [JSONNode.Member], _ key: UInt64?, _ table: ImportTable,
        _ transaction: EngineTransaction
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
                try set(given, of: row, table, transaction, isPlaceholder ? .all : update)
                return
            }
        } else if let key, let row = keys[table.key]?[key] {
            guard takePlaceholder(.key(key), table.key) != nil else {
                throw StoreError(
                    .duplicatePrimaryKey,
                    "The key \(key) of the class \(table.name) appears twice in the text.",
                    className: table.name, key: "\(key)")
            }
            // unless another transaction has deleted it
            if transaction.contains(table.key, row) {
                try set(given, of: row, table, transaction, .all)
                return
            }
        }
        let row = try transaction.insert(table.key, try plainValues(given, table))
        if let key { note(key, row, table.key) }
        try fillReferences(given, of: row, table, transaction)
    }

    /// Returns the members with their properties, none of which may repeat.
    private func columns(
        _ values: [JSONNode.Member], _ table: ImportTable
    ) throws(StoreError) -> [(property: ImportTable.Property, node: JSONNode)] {
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
        _ given: [(property: ImportTable.Property, node: JSONNode)], _ table: ImportTable,
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
        _ given: [(property: ImportTable.Property, node: JSONNode)], _ table: ImportTable
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

    /// Sets the links, lists, sets and maps of a new row.
    private mutating func fillReferences(
        _ given: [(property: ImportTable.Property, node: JSONNode)], of row: ObjectKey,
        _ table: ImportTable, _ transaction: EngineTransaction
    ) throws(StoreError) {
        for (property, node) in given {
            switch property.place {
            case .column(let column):
                if case .null = node { continue }
                if column.type == .any {
                    try setAny(column, of: row, table, property, node, transaction)
                    continue
                }
                guard column.linkTarget != nil else { continue }
                let value = try value(node, column, property, transaction)
                try transaction.set(table.key, row, column.key, value)
            case .list(let list, let target):
                try fill(list, target, of: row, table, property, node, transaction)
            }
        }
    }

    /// Sets the values of a line in an existing row.
    private mutating func set(
        _ given: [(property: ImportTable.Property, node: JSONNode)], of row: ObjectKey,
        _ table: ImportTable, _ transaction: EngineTransaction, _ policy: Realm.UpdatePolicy
    ) throws(StoreError) {
        for (property, node) in given {
            switch property.place {
            case .list(let list, let target):
                try fill(list, target, of: row, table, property, node, transaction)
            case .column(let column):
                if column.isPrimaryKey { continue }
                if column.type == .any {
                    try setAny(column, of: row, table, property, node, transaction)
                    continue
                }
                let value = try value(node, column, property, transaction)
                if policy == .modified, transaction.value(table.key, row, column.key) == value {
                    continue
                }
                try transaction.set(table.key, row, column.key, value)
            }
        }
    }

    private mutating func setAny(
        _ column: ColumnSchema, of row: ObjectKey, _ table: ImportTable,
        _ property: ImportTable.Property, _ node: JSONNode, _ transaction: EngineTransaction
    ) throws(StoreError) {
        let tree = try anyTree(node, property, transaction)
        guard let list = table.schema.list(named: "\(column.name)[]") else {
            throw property.problem("is of any type and has no list", .invalidDatabase)
        }
        try setAny(
            tree, table.key, row, column.key, list.key, list.target, transaction)
    }

    /// Returns the value for a column: a value, the row of an object, or that of a new embedded
    /// object.
    private mutating func value(
        _ node: JSONNode, _ column: ColumnSchema, _ property: ImportTable.Property,
        _ transaction: EngineTransaction
    ) throws(StoreError) -> Value {
        guard let target = column.linkTarget else { return try property.value(node, column) }
        if case .null = node { return .null }
        let row = try object(node, target, property, transaction)
        return .int(Int64(bitPattern: row.rawValue))
    }

    private mutating func object(
        _ node: JSONNode, _ target: TableKey, _ property: ImportTable.Property,
        _ transaction: EngineTransaction
    ) throws(StoreError) -> ObjectKey {
        let schema = transaction.schema.tables[Int(target.rawValue)]
        let table: ImportTable
        do throws(Realm.Error) {
            table = try self.table(named: schema.name, transaction)
        } catch {
            throw property.problem("links to \(schema.name): \(error.message)", .schemaMismatch)
        }
        guard schema.kind == .embedded else {
            return try self.target(node, table, of: property, transaction)
        }
        guard case .object(let members) = node else {
            throw property.problem(
                "cannot be \(node.shown): expected a JSON object with the properties of "
                    + "\(schema.name)"
            )
        }
        level += 1
        defer { level -= 1 }
        guard level < Limits.valueLevelMax else {
            throw property.problem(
                "has embedded objects nested more than \(Limits.valueLevelMax) levels deep")
        }
        let given = try columns(members, table)
        let row = try transaction.insert(table.key, try plainValues(given, table))
        try fillReferences(given, of: row, table, transaction)
        return row
    }

    /// Replaces the elements of a list, set or map by those of the line.
    private mutating func fill(
        _ list: ListSchema, _ target: TableSchema, of row: ObjectKey, _ table: ImportTable,
        _ property: ImportTable.Property, _ node: JSONNode, _ transaction: EngineTransaction
    ) throws(StoreError) {
        if list.kind == .map {
            return try fillMap(list, target, of: row, table, property, node, transaction)
        }
        guard case .array(let nodes) = node else {
            throw property.problem("is a \(list.kind) and cannot be \(node.shown)")
        }
        if list.kind == .set {
            var members = SetMembers()
            for node in nodes {
                if target.isOfAny {
                    let tree = try anyTree(node, isInSet: true, property, transaction)
                    members.values.append(cell(tree, transaction))
                } else if target.kind == .elements {
                    members.values.append(try property.value(node, target.columns[0]))
                } else {
                    members.keys.append(try object(node, target.key, property, transaction))
                }
            }
            let stored = StoredSet(
                transaction: transaction, table: table.key, row: row,
                list: BindingPlace.StoredList(key: list.key, target: target.key))
            try stored.replaceAll(with: SetMembers(values: members.values, keys: members.keys))
            return
        }
        clear(list, of: row, table, transaction)
        var keys: [ObjectKey] = []
        keys.reserveCapacity(nodes.count)
        for node in nodes {
            if target.isOfAny {
                let tree = try anyTree(node, property, transaction)
                keys.append(try insertAny(tree, "", target.key, transaction))
            } else if target.kind == .elements {
                let value = try property.value(node, target.columns[0])
                keys.append(try transaction.insert(target.key, [value]))
            } else {
                keys.append(try object(node, target.key, property, transaction))
            }
        }
        if keys.isEmpty { return }
        try transaction.insertIntoList(table.key, row, list.key, at: 0, keys)
    }

    private mutating func fillMap(
        _ list: ListSchema, _ target: TableSchema, of row: ObjectKey, _ table: ImportTable,
        _ property: ImportTable.Property, _ node: JSONNode, _ transaction: EngineTransaction
    ) throws(StoreError) {
        guard case .object(var members) = node else {
            throw property.problem("is a map and cannot be \(node.shown)")
        }
        clear(list, of: row, table, transaction)
        members.sort { StoredText.precedes($0.key, $1.key) }
        var keys: [ObjectKey] = []
        for (index, member) in members.enumerated() {
            try check(key: member.key, after: index > 0 ? members[index - 1].key : nil, property)
            if target.isOfAny {
                let tree = try anyTree(member.value, property, transaction)
                keys.append(try insertAny(tree, member.key, target.key, transaction))
                continue
            }
            let value = try value(member.value, target.columns[0], property, transaction)
            keys.append(try transaction.insert(target.key, [value, .string(member.key)]))
        }
        if keys.isEmpty { return }
        try transaction.insertIntoList(table.key, row, list.key, at: 0, keys)
    }

    private func clear(
        _ list: ListSchema, of row: ObjectKey, _ table: ImportTable,
        _ transaction: EngineTransaction
    ) {
        let count = transaction.listCount(table.key, row, list.key)
        if count > 0 { transaction.removeFromList(table.key, row, list.key, 0..<count) }
    }
}

extension TableSchema {
    /// Whether this is the class of elements of any type.
    fileprivate var isOfAny: Bool { kind == .elements && columns[0].type == .any }
}

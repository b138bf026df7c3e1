internal import RegnumEngine
internal import RegnumStore

/// Converts classes of objects to embedded ones: deletes objects without an owner, and gives each
/// owner but the first a copy of objects that have several owners.
struct EmbeddedConversion {
    let transaction: EngineTransaction

    /// Converts the classes, owners first: a copy links to what the original links to, which
    /// thereby gains an owner.
    func run(_ classNames: [String]) throws(Realm.Error) {
        var rest = classNames
        while !rest.isEmpty {
            let tables = rest.compactMap { transaction.schema.table(named: $0)?.key }
            // there are no cycles: see `MigrationSteps.checkOwners`
            let index = tables.indices.first { index in
                tables.indices.allSatisfy { $0 == index || !leads(tables[$0], to: tables[index]) }
            }
            let next = index ?? 0
            try convert(tables[next])
            rest.remove(at: next)
        }
    }

    private func table(_ key: TableKey) -> TableSchema {
        transaction.schema.tables[Int(key.rawValue)]
    }

    /// Whether objects of a class link to those of another, including as values of their maps.
    private func leads(_ table: TableKey, to target: TableKey) -> Bool {
        let schema = self.table(table)
        if schema.columns.contains(where: { $0.linkTarget == target }) { return true }
        return schema.lists.contains { transaction.schema.leads($0, to: target) }
    }

    /// A property or element that holds an object.
    private enum Owner {
        case link(TableKey, ObjectKey, ColumnKey)
        case element(TableKey, ObjectKey, ListKey, Int)
    }

    /// A link or list that leads to objects of a class.
    private enum Place {
        case link(TableKey, ColumnKey)
        case list(TableKey, ListKey)
    }

    private func places(leadingTo target: TableKey) -> [Place] {
        var places: [Place] = []
        for table in transaction.schema.tables {
            for column in table.columns where column.linkTarget == target {
                places.append(.link(table.key, column.key))
            }
            for list in table.lists where list.target == target {
                places.append(.list(table.key, list.key))
            }
        }
        return places
    }

    private func convert(_ target: TableKey) throws(Realm.Error) {
        let places = places(leadingTo: target)
        var next = ObjectKey(rawValue: 0)
        let end = transaction.nextKeys[Int(target.rawValue)]
        while true {
            let keys = transaction.keys(target, from: next, limit: 1_024).filter { $0 < end }
            guard let last = keys.last else { break }
            next = ObjectKey(rawValue: last.rawValue + 1)
            var lonely: [ObjectKey] = []
            for key in keys {
                let count = ownerCount(of: key, places)
                if count == 0 { lonely.append(key) }
                // Almost all have one owner; its position in a list takes O(elements) to find.
                if count < 2 { continue }
                for owner in owners(of: key, places).dropFirst() {
                    let copy = try copy(target, key)
                    try engine { () throws(StoreError) in
                        switch owner {
                        case .link(let table, let row, let column):
                            try transaction.set(table, row, column, copy.linkValue)
                        case .element(let table, let row, let list, let position):
                            try transaction.setListElement(table, row, list, at: position, copy)
                        }
                    }
                }
            }
            if !lonely.isEmpty { transaction.delete(target, lonely) }
        }
        transaction.setKind(target, .embedded)
    }

    /// Returns the number of a row's owners, or 2 if there are more.
    private func ownerCount(of row: ObjectKey, _ places: [Place]) -> Int {
        var count = 0
        for place in places where count < 2 {
            switch place {
            case .link(let table, let column):
                count += transaction.backlinks(of: row, through: column, of: table).count
            case .list(let table, let list):
                count += transaction.occurrenceCount(of: row, in: list, of: table, limit: 2)
            }
        }
        return min(count, 2)
    }

    private func owners(of row: ObjectKey, _ places: [Place]) -> [Owner] {
        var owners: [Owner] = []
        for place in places {
            switch place {
            case .link(let table, let column):
                for origin in transaction.backlinks(of: row, through: column, of: table) {
                    owners.append(.link(table, origin, column))
                }
            case .list(let table, let list):
                for origin in transaction.backlinks(of: row, through: list, of: table) {
                    let rows = transaction.list(table, origin, list)
                    for (position, element) in rows.enumerated() where element == row {
                        owners.append(.element(table, origin, list, position))
                    }
                }
            }
        }
        return owners
    }

    /// Returns a copy of a row. Owned rows are copied as well, linked ones are shared.
    private func copy(_ key: TableKey, _ row: ObjectKey) throws(Realm.Error) -> ObjectKey {
        let schema = table(key)
        var values: [Value] = []
        for column in schema.columns {
            var value = transaction.value(key, row, column.key) ?? column.defaultValue
            if let target = column.linkTarget, table(target).kind.isOwned,
                let linked = value.linkedObject
            {
                value = try copy(target, linked).linkValue
            }
            values.append(value)
        }
        let made = try engine { () throws(StoreError) in try transaction.insert(key, values) }
        for list in schema.lists {
            var elements = transaction.list(key, row, list.key)
            if table(list.target).kind.isOwned {
                elements = try elements.map { (element) throws(Realm.Error) in
                    try copy(list.target, element)
                }
            }
            if elements.isEmpty { continue }
            try engine { () throws(StoreError) in
                try transaction.insertIntoList(key, made, list.key, at: 0, elements)
            }
        }
        return made
    }
}

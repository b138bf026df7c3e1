package import RegnumStore

extension EngineTransaction {
    // MARK: DatabaseView

    package func count(_ table: TableKey) -> Int { content.table(table)?.count ?? 0 }

    package func contains(_ table: TableKey, _ key: ObjectKey) -> Bool {
        content.table(table)?.contains(key.rawValue) ?? false
    }

    package func value(_ table: TableKey, _ key: ObjectKey, _ column: ColumnKey) -> Value? {
        content.value(table, key, column)
    }

    package func find(_ table: TableKey, primaryKey value: Value) -> ObjectKey? {
        content.find(table, primaryKey: value)
    }

    package func keys(_ table: TableKey, from key: ObjectKey, limit: Int) -> [ObjectKey] {
        content.keys(table, from: key, limit: limit)
    }

    package func key(_ table: TableKey, at position: Int) -> ObjectKey {
        ObjectKey(rawValue: content[table.index].key(at: position))
    }

    package func listCount(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> Int {
        content.elements(table, list).count(row.rawValue)
    }

    package func listElement(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int
    ) -> ObjectKey? {
        content.listElement(table, row, list, at: position)
    }

    package func list(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> [ObjectKey] {
        content.list(table, row, list)
    }

    package func backlinks(
        of target: ObjectKey, through list: ListKey, of table: TableKey
    ) -> [ObjectKey] {
        content.backlinks(of: target, through: list, of: table)
    }

    package func ownershipProblem(
        of row: ObjectKey, in table: TableKey, level: Int
    ) -> StoreError? {
        content.ownershipProblem(of: row, in: table, level: level)
    }

    package func backlinks(
        of target: ObjectKey, through column: ColumnKey, of table: TableKey
    ) -> [ObjectKey] {
        content.backlinks(of: target, through: column, of: table)
    }

    // MARK: Other reads

    /// Returns how often a row is an element of a list of the rows of `table`, at most `limit`.
    ///
    /// - Complexity: O(log n + limit).
    package func occurrenceCount(
        of target: ObjectKey, in list: ListKey, of table: TableKey, limit: Int
    ) -> Int {
        guard content.listSchema(table, list) != nil else { return 0 }
        var count = 0
        content[table.index].backlinks(list.index).forEachRepeatedRow(target.rawValue) { _ in
            count += 1
            return count < limit
        }
        return count
    }

    /// Returns the keys of all rows, ascending.
    package func keys(_ table: TableKey) -> [ObjectKey] { content.keys(table) }

    /// Returns a column of any type in which some row links to a row of a class, or `nil` if there
    /// is none.
    ///
    /// - Complexity: O(n log m) for each nonempty column of any type.
    package func anyLink(to target: TableKey) -> (table: TableKey, column: ColumnKey)? {
        for place in content.schema.relations[target.index].incomingAny {
            var isFound = false
            content[target.index].forEachKey { row in
                isFound = !content.anyOrigins(target, row, place).isEmpty
                return !isFound
            }
            if isFound { return (place.table, place.column) }
        }
        return nil
    }
}

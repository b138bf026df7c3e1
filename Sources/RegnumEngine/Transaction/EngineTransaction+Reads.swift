package import RegnumStore

/// Reads of lists and backlinks, including the transaction's own changes.
extension EngineTransaction {
    /// Returns the length of a row's list, or 0 if the list or row doesn't exist at this version.
    ///
    /// - Complexity: O(log n).
    package func listCount(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> Int {
        content.elements(table, list).count(row.rawValue)
    }

    /// Returns an element of a row's list, or `nil` if the position is beyond its end.
    ///
    /// - Complexity: O(log n).
    package func listElement(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int
    ) -> ObjectKey? {
        content.listElement(table, row, list, at: position)
    }

    /// Returns the elements of a row's list in order.
    ///
    /// - Complexity: O(log n + elements).
    package func list(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> [ObjectKey] {
        content.list(table, row, list)
    }

    /// Returns the rows of `table` whose list contains `target`, a row of the list's class:
    /// ascending, without duplicates.
    ///
    /// - Complexity: O(log n + occurrences).
    package func backlinks(
        of target: ObjectKey, through list: ListKey, of table: TableKey
    ) -> [ObjectKey] {
        content.backlinks(of: target, through: list, of: table)
    }

    /// Returns the damage that keeps a reader from descending into a row that another row owns, or
    /// `nil` if there is none, like `DatabaseRoot`.
    package func ownershipProblem(
        of row: ObjectKey, in table: TableKey, level: Int
    ) -> StoreError? {
        content.ownershipProblem(of: row, in: table, level: level)
    }

    /// Returns the rows of `table` whose link refers to `target`, a row of the link's class,
    /// ascending.
    ///
    /// - Complexity: O(log n + rows).
    package func backlinks(
        of target: ObjectKey, through column: ColumnKey, of table: TableKey
    ) -> [ObjectKey] {
        content.origins(target.rawValue, LinkPlace(table: table, column: column))
            .map { ObjectKey(rawValue: $0) }
    }

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

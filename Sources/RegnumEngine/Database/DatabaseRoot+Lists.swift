package import RegnumStore

extension DatabaseRoot {
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

    /// Returns the error for an owned row that must not be visited, or `nil` if it is safe.
    ///
    /// In a forged file, rows may own each other or have several owners, so that a traversal would
    /// never end or take exponential time.
    ///
    /// - Parameter level: The nesting level, from 1, of a row that is a list or dictionary of any
    ///   type; 0 for other rows.
    /// - Complexity: O(log n).
    package func ownershipProblem(
        of row: ObjectKey, in table: TableKey, level: Int
    ) -> StoreError? {
        content.ownershipProblem(of: row, in: table, level: level)
    }

    /// Returns the splices that turn a row's list at an older version into the list at this one,
    /// computed from the trees alone.
    ///
    /// - Complexity: O(leaves that differ); O(n) between roots that share none.
    package func listSplices(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, since old: DatabaseRoot
    ) -> [ListSplice] {
        SequenceTree.difference(
            old.content.elements(table, list), content.elements(table, list), row.rawValue)
    }
}

extension StoreError {
    /// The error for a list with an element whose row doesn't exist.
    package static func missingElement(of elements: TableSchema) -> StoreError {
        StoreError(
            .invalidDatabase,
            "The file is damaged: \(elements.name) has an element that does not exist.",
            className: elements.name)
    }
}

extension DatabaseContent {
    func listElement(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int
    ) -> ObjectKey? {
        elements(table, list).element(row.rawValue, at: position).map { ObjectKey(rawValue: $0) }
    }

    func list(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> [ObjectKey] {
        elements(table, list).elements(row.rawValue).map { ObjectKey(rawValue: $0) }
    }

    func backlinks(
        of target: ObjectKey, through list: ListKey, of table: TableKey
    ) -> [ObjectKey] {
        backlinks(target.rawValue, ListPlace(table: table, list: list))
            .map { ObjectKey(rawValue: $0) }
    }
}

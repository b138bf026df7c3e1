// Reading lists of a root, and of a running transaction with its own changes.

extension DatabaseRoot {
    /// The length of a row's list; 0 for a list or row that does not exist at this version.
    ///
    /// - Complexity: O(log n).
    package func listCount(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> Int {
        content.elements(table, list).count(row.rawValue)
    }

    /// An element of a row's list; nil if the list is not so long.
    ///
    /// - Complexity: O(log n).
    package func listElement(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int
    ) -> ObjectKey? {
        content.listElement(table, row, list, at: position)
    }

    /// The elements of a row's list, in order.
    ///
    /// - Complexity: O(log n + elements).
    package func list(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> [ObjectKey] {
        content.list(table, row, list)
    }

    /// The rows of `table` whose list has `target`, a row of the list's class, as an element:
    /// ascending, each once.
    ///
    /// - Complexity: O(log n + occurrences).
    package func backlinks(
        of target: ObjectKey, through list: ListKey, of table: TableKey
    ) -> [ObjectKey] {
        content.backlinks(of: target, through: list, of: table)
    }
}

extension EngineTransaction {
    /// The length of a row's list; 0 for a list or row that does not exist at this version.
    ///
    /// - Complexity: O(log n).
    package func listCount(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> Int {
        content.elements(table, list).count(row.rawValue)
    }

    /// An element of a row's list; nil if the list is not so long.
    ///
    /// - Complexity: O(log n).
    package func listElement(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int
    ) -> ObjectKey? {
        content.listElement(table, row, list, at: position)
    }

    /// The elements of a row's list, in order.
    ///
    /// - Complexity: O(log n + elements).
    package func list(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> [ObjectKey] {
        content.list(table, row, list)
    }

    /// The rows of `table` whose list has `target`, a row of the list's class, as an element:
    /// ascending, each once.
    ///
    /// - Complexity: O(log n + occurrences).
    package func backlinks(
        of target: ObjectKey, through list: ListKey, of table: TableKey
    ) -> [ObjectKey] {
        content.backlinks(of: target, through: list, of: table)
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

extension DatabaseRoot {
    /// What turns a row's list at an older version into that at this one, from the trees alone.
    ///
    /// - Complexity: O(leaves that differ); O(n) between roots that share none.
    package func listSplices(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, since old: DatabaseRoot
    ) -> [ListSplice] {
        SequenceTree.difference(
            old.content.elements(table, list), content.elements(table, list), row.rawValue)
    }
}

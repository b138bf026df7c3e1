package import RegnumStore

extension DatabaseRoot {
    // MARK: DatabaseView

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

    package func backlinks(
        of target: ObjectKey, through column: ColumnKey, of table: TableKey
    ) -> [ObjectKey] {
        content.backlinks(of: target, through: column, of: table)
    }

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
        let tree = elements(table, list)
        let count = tree.count(row.rawValue)
        let keys = tree.elements(row.rawValue, 0..<count)
        if keys.count < count {
            report(
                StoreError(
                    .invalidDatabase,
                    "A list of \(schema.tables[table.index].name) has \(count) elements, but only "
                        + "\(keys.count) are stored.",
                    className: schema.tables[table.index].name))
        }
        return keys.map { ObjectKey(rawValue: $0) }
    }

    func backlinks(
        of target: ObjectKey, through list: ListKey, of table: TableKey
    ) -> [ObjectKey] {
        backlinks(target.rawValue, ListPlace(table: table, list: list))
            .map { ObjectKey(rawValue: $0) }
    }

    func backlinks(
        of target: ObjectKey, through column: ColumnKey, of table: TableKey
    ) -> [ObjectKey] {
        origins(target.rawValue, LinkPlace(table: table, column: column))
            .map { ObjectKey(rawValue: $0) }
    }
}

internal import RegnumEngine

// Lists as the body sees them; empty after the body.
extension TransactionCore {
    func listCount(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> Int {
        view?.listCount(table, row, list) ?? 0
    }

    /// Returns the rows of the elements.
    func list(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> [ObjectKey] {
        view?.list(table, row, list) ?? []
    }

    /// Returns the row of an element, or `nil` if the position is out of range.
    func listElement(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int
    ) -> ObjectKey? {
        view?.listElement(table, row, list, at: position)
    }

    /// Whether the transaction has deleted a row. Only a damaged file refers to other rows that
    /// don't exist.
    func hasDeleted(_ table: TableKey, _ row: ObjectKey) -> Bool {
        writing?.hasDeleted(table, row) ?? false
    }
}

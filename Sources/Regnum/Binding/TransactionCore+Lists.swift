internal import RegnumEngine

// Lists as the body sees them; empty after the body.
extension TransactionCore {
    func listCount(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> Int {
        switch state {
        case .writing(let transaction): transaction.listCount(table, row, list)
        case .reading(let root): root.listCount(table, row, list)
        case .ended: 0
        }
    }

    /// Returns the rows of the elements.
    func list(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> [ObjectKey] {
        switch state {
        case .writing(let transaction): transaction.list(table, row, list)
        case .reading(let root): root.list(table, row, list)
        case .ended: []
        }
    }

    /// Returns the row of an element, or `nil` if the position is out of range.
    func listElement(
        _ table: TableKey, _ row: ObjectKey, _ list: ListKey, at position: Int
    ) -> ObjectKey? {
        switch state {
        case .writing(let transaction):
            transaction.listElement(table, row, list, at: position)
        case .reading(let root): root.listElement(table, row, list, at: position)
        case .ended: nil
        }
    }

    /// Whether the transaction has deleted a row. Only a damaged file refers to other rows that
    /// don't exist.
    func hasDeleted(_ table: TableKey, _ row: ObjectKey) -> Bool {
        writing?.hasDeleted(table, row) ?? false
    }
}

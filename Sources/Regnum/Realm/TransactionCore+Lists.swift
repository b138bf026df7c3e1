internal import RegnumEngine

// Lists as the body sees them; empty after it.
extension TransactionCore {
    func listCount(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> Int {
        switch state {
        case .writing(let transaction): transaction.listCount(table, row, list)
        case .reading(let root): root.listCount(table, row, list)
        case .ended: 0
        }
    }

    /// The rows of the elements.
    func list(_ table: TableKey, _ row: ObjectKey, _ list: ListKey) -> [ObjectKey] {
        switch state {
        case .writing(let transaction): transaction.list(table, row, list)
        case .reading(let root): root.list(table, row, list)
        case .ended: []
        }
    }

    /// The row of an element, nil if the list has no such position.
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
}

import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine

extension Snapshot {
    /// Returns a snapshot of this content with unchecked changes.
    func forged(_ body: (EngineTransaction) throws -> Void) throws -> Snapshot {
        let transaction = EngineTransaction(base: core.root)
        try body(transaction)
        let root = try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0).root
        return Snapshot(core: SnapshotCore(realm: core.realm, root: root, place: core.place))
    }

    /// Returns the error that fails a transaction of the content after `body`.
    func violation(inWrite: Bool, _ body: (Transaction) throws -> Void) rethrows -> Realm.Error? {
        let root = core.root
        let state = TransactionCore(
            inWrite ? .writing(EngineTransaction(base: root)) : .reading(root), realm: core.realm,
            place: core.place)
        defer { state.end() }
        try ReadScope.run(failing: state) { try body(Transaction(state)) }
        return state.violation
    }
}

extension EngineTransaction {
    /// Inserts an element into a list whose row may not exist.
    func forge(_ element: UInt64, into list: ListSchema, of row: ObjectKey, in table: TableKey) {
        let isDone = content.splice(
            ListPlace(table: table, list: list.key), row.rawValue, at: 0, removing: 0,
            inserting: [element][...], edit.nodes)
        expectTrue(isDone)
    }
}

import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Lists in transactions that roll back to a savepoint.
@Suite struct ListSavepointTests {
    @Test func goingBackForgetsWhatListsWentThroughSince() throws {
        let first = EngineTransaction(base: .makeEmpty())
        let table = try first.addTable(
            name: "Node", columns: [ColumnDefinition(name: "number", type: .int)])
        let list = try first.addList(table, name: "others", target: table)
        let rows = try (0..<4).map { try first.insert(table, [.int($0)]) }
        for row in rows { try first.insertIntoList(table, row, list, at: 0, rows) }
        let base = try commitAndReplay(first).root

        let transaction = EngineTransaction(base: base)
        transaction.removeFromList(table, rows[0], list, 0..<1)
        let savepoint = transaction.savepoint()
        // Edits of the same list again, of another one, and of all lists with a deleted row.
        try transaction.insertIntoList(table, rows[0], list, at: 1, [rows[3]])
        transaction.moveInList(table, rows[1], list, from: 0, to: 3)
        transaction.delete(table, rows[2])
        transaction.rollback(to: savepoint)

        let commit = try commitAndReplay(transaction)
        let delta = try requireValue(commit.summary.delta(tableName: "Node"))
        let removal = ListSplice(position: 0, removedCount: 1, inserted: [])
        expectEqual(delta.listChanges, [list: [ListChange(row: rows[0], splices: [removal])]])
        expectEqual(commit.root.list(table, rows[0], list), Array(rows[1...]))
        for row in rows[1...] { expectEqual(commit.root.list(table, row, list), rows) }
    }
}

import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Limits that a class reaches without as many rows: of entries in its indexes, and of the bytes of
/// its defaults.
@Suite struct EntryLimitTests {
    private let table = TableKey(rawValue: 0)

    /// A full-text index has an entry for each word. The counts are made up.
    // Covers .invalidInput
    @Test func numberOfWords() throws {
        let first = EngineTransaction(base: .empty)
        let column = ColumnDefinition(name: "t", type: .string, isFullTextIndexed: true)
        _ = try first.addTable(name: "A", columns: [column])
        _ = try first.insert(table, [.string("two words")])
        let base = try first.commit(timestampMicroseconds: 0)
        for excess in [-1, 0, 1] {
            let transaction = EngineTransaction(base: base.root)
            _ = try transaction.insert(table, [.string("another")])
            let own = transaction.content.ownTable(table.index, transaction.edit.nodes)
            let slot = try requireValue(own.indexSlot(of: ColumnKey(rawValue: 0), .words))
            var tree = own.index(at: slot)
            tree.count = Limits.maximumEntryCount + excess
            own.setIndex(tree, at: slot)
            expectEqual(transaction.content.isCountable(table.index), excess <= 0)
            if excess <= 0 { continue }
            let error = #expect(throws: StoreError.self) {
                _ = try transaction.commit(timestampMicroseconds: 0)
            }
            expectTrue(error?.code == .invalidInput && error?.className == "A")
            expectEqual(error?.message.contains("\(Limits.maximumEntryCount)"), true)
        }
    }

    // Covers .invalidInput
    @Test func sizesOfDefaults() throws {
        let limits: [(ValueType, Int, (Int) -> Value)] = [
            (.string, Limits.maximumStringByteCount, { .string(longText($0)) }),
            (.data, Limits.maximumDataByteCount, { .data([UInt8](repeating: 1, count: $0)) }),
        ]
        for (type, limit, value) in limits {
            for excess in [-1, 0, 1] {
                let base = EngineTransaction(base: .empty)
                let number = ColumnDefinition(name: "n", type: .int)
                _ = try base.addTable(name: "A", columns: [number])
                let key = try base.insert(table, [.int(1)])
                let root = try base.commit(timestampMicroseconds: 0).root
                let transaction = EngineTransaction(base: root)
                let column = ColumnDefinition(
                    name: "d", type: type, defaultValue: value(limit + excess))
                if excess > 0 {
                    let added = #expect(throws: StoreError.self) {
                        try transaction.addColumn(table, column)
                    }
                    let made = #expect(throws: StoreError.self) {
                        try transaction.addTable(name: "A2", columns: [column])
                    }
                    for (error, name) in [(added, "A"), (made, "A2")] {
                        expectTrue(error?.code == .invalidInput && error?.property == "d")
                        expectEqual(error?.className, name)
                        expectEqual(error?.message.contains("\(limit)"), true)
                    }
                    continue
                }
                _ = try transaction.addColumn(table, column)
                let commit = try transaction.commit(timestampMicroseconds: 0)
                let file = MemoryNodesFile()
                let loaded = try TestCheckpoint(commit.root, to: file).load(from: file)
                for root in [commit.root, loaded] {
                    let found = root.value(table, key, ColumnKey(rawValue: 1))
                    expectTrue(found == column.defaultValue)
                }
            }
        }
    }
}

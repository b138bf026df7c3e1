import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// States that no checkpoint is written of, because it couldn't be loaded. Commits to a realm with
/// forged leaves can lead to them.
@Suite struct CheckpointRefusalTests {
    private let table = TableKey(rawValue: 0)

    private enum Forgery: CaseIterable { case none, order, count, backlinks }

    // Covers .invalidDatabase
    @Test func indexThatCouldNotBeLoadedIsNotWritten() throws {
        for forgery in Forgery.allCases {
            let root = try makeRoot()
            let content = root.content[table.index]
            let inner = IndexInner(try requireValue(content.index(at: 0).root))
            expectTrue(inner.count > 2)
            switch forgery {
            case .none: break
            case .order: inner.keys[2] = inner.keys[0]
            case .count: inner.counts[1] -= 1
            case .backlinks:
                let leaf = IndexLeaf(try requireValue(content.backlinks(0).root))
                leaf.remove(0..<1)
            }
            let file = MemoryNodesFile()
            if forgery == .none {
                let loaded = try TestCheckpoint(root, to: file).load(from: file)
                expectEqual(loaded.stateHash(), root.stateHash())
                continue
            }
            let error = #expect(throws: StoreError.self) {
                _ = try TestCheckpoint(root, to: file)
            }
            expectTrue(error?.code == .invalidDatabase && error?.className == "A")
        }
    }

    /// A class with an index of several leaves, and a list.
    private func makeRoot() throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .makeEmpty())
        let column = ColumnDefinition(name: "n", type: .int, isIndexed: true)
        _ = try transaction.addTable(name: "A", columns: [column])
        let list = try transaction.addList(table, name: "list", target: table)
        let rows = try (0..<500).map { try transaction.insert(table, [.int($0)]) }
        try transaction.insertIntoList(table, rows[0], list, at: 0, [rows[1], rows[2]])
        return try transaction.commit(timestampMicroseconds: 0).root
    }
}

import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// The cost of operations in a class of 10,000 rows and in a larger one: bytes of new nodes, and
/// visited nodes. The benchmark `growth` measures times.
@Suite struct GrowthTests {
    private static let people = TableKey(rawValue: 0)
    private static let age = ColumnKey(rawValue: 1)
    private static let operationCount = 1_000

    /// The costs at one size.
    private struct Costs {
        var inserted = 0
        var updated = 0
        var updatedAlone = 0
        var levels = 0
    }

    private static func row(_ id: Int) -> [Value] {
        [.int(Int64(id)), .int(Int64(id % 100)), .double(Double(id)), .string("person \(id)")]
    }

    private static func people(_ count: Int) throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        _ = try transaction.addTable(
            name: "Person",
            columns: [
                ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
                ColumnDefinition(name: "age", type: .int),
                ColumnDefinition(name: "score", type: .double),
                ColumnDefinition(name: "name", type: .string),
            ])
        for id in 0..<count { _ = try transaction.insert(people, row(id)) }
        return try transaction.commit(timestampMicroseconds: 1).root
    }

    /// Returns the bytes of the nodes that the edits of a transaction create.
    private static func bytes(
        _ root: DatabaseRoot, _ edit: (EngineTransaction) throws -> Void
    ) throws -> Int {
        let transaction = EngineTransaction(base: root)
        let before = transaction.heapByteCount
        try edit(transaction)
        return transaction.heapByteCount - before
    }

    private static func costs(_ count: Int) throws -> Costs {
        let root = try people(count)
        var costs = Costs()
        costs.inserted = try bytes(root) { transaction in
            for id in count..<count + operationCount { _ = try transaction.insert(people, row(id)) }
        }
        let middle = count / 2
        costs.updated = try bytes(root) { transaction in
            for id in middle..<middle + operationCount {
                guard let key = transaction.find(people, primaryKey: .int(Int64(id))) else {
                    continue
                }
                try transaction.set(people, key, age, .int(7))
            }
        }
        costs.updatedAlone = try bytes(root) { transaction in
            try transaction.set(people, ObjectKey(rawValue: UInt64(middle)), age, .int(7))
        }
        let table = root.content[people.index]
        costs.levels = table.height + 1 + table.index(at: 0).height + 1
        return costs
    }

    @Test func operationsTakeAsMuchInAGreaterClass() throws {
        let small = try Self.costs(10_000)
        let great = try Self.costs(300_000)
        expectTrue(small.inserted > 0 && small.updated > 0 && small.updatedAlone > 0)
        expectTrue(Double(great.inserted) <= 1.5 * Double(small.inserted))
        expectTrue(Double(great.updated) <= 1.5 * Double(small.updated))
        expectTrue(Double(great.updatedAlone) <= 1.5 * Double(small.updatedAlone))
        // A tree of 1,024 rows and 32 children per node, and one with 128 of both.
        expectEqual(small.levels, 4)
        expectEqual(great.levels, 6)
    }
}

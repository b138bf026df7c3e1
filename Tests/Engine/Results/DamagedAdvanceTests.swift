import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Steps of results over a damaged leaf that the results themselves didn't need, because the bounds
/// of the column excluded all of its rows. The step reads zeros, which match.
@Suite struct DamagedAdvanceTests {
    private static let table = TableKey(rawValue: 0)
    private static let age = ColumnDefinition(name: "age", type: .int)
    private static let rank = ColumnDefinition(name: "rank", type: .int)

    /// Loads 3,000 rows from a file in which the leaves of all ages are damaged.
    private func load() throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        _ = try transaction.addTable(
            name: "Guest", columns: [DamagedAdvanceTests.age, DamagedAdvanceTests.rank])
        for rank in 0..<3_000 {
            _ = try transaction.insert(DamagedAdvanceTests.table, [.int(20), .int(Int64(rank))])
        }
        let file = MemoryNodesFile()
        let checkpoint = try TestCheckpoint(
            transaction.commit(timestampMicroseconds: 0).root, to: file)
        let root = try checkpoint.load(from: file)
        let table = try requireValue(root.table(DamagedAdvanceTests.table))
        table.forEachCluster { cluster in
            cluster.forEachLeaf { leaf in
                guard leaf.place == .chunk(column: 0) else { return }
                file[Int(leaf.extent & ~63) + Node.headerByteCount] ^= 1
            }
            return true
        }
        return root
    }

    private func expectDamage(
        _ plan: QueryPlan, _ change: (EngineTransaction) throws -> Void
    ) throws {
        let root = try load()
        let result = try plan.evaluate(root, counters: StreamCounters())
        expectTrue(result.isEmpty && root.damage == nil)
        let transaction = EngineTransaction(base: root)
        try change(transaction)
        let commit = try transaction.commit(timestampMicroseconds: 0)
        let step = VersionStep(from: root, to: commit.root, summaries: [commit.summary])
        let damage = #expect(throws: StoreError.self) {
            try DamageWatch.check(on: commit.root) { () throws(StoreError) in
                try plan.advance(result, step)
            }
        }
        expectEqual(damage?.code, .invalidDatabase)
    }

    private func young(
        sort: [SortTerm] = [], distinct: [[ColumnReference]] = [], limit: Int? = nil
    ) -> QueryPlan {
        QueryPlan(
            tableName: "Guest",
            predicate: .compare(Everything.reference(DamagedAdvanceTests.age), .less, .int(18)),
            sort: sort, distinct: distinct, limit: limit)
    }

    // Covers .invalidDatabase
    @Test func aDeletedRowThatTheResultDoesNotHaveIsToldAsDamage() throws {
        for limit in [nil, 2] {
            try expectDamage(young(limit: limit)) {
                $0.delete(DamagedAdvanceTests.table, ObjectKey(rawValue: 1_500))
            }
        }
    }

    // Covers .invalidDatabase
    @Test func aMovedRowThatTheResultDoesNotHaveIsToldAsDamage() throws {
        let rank = Everything.reference(DamagedAdvanceTests.rank)
        let sort = [SortTerm(column: rank, ascending: true)]
        for plan in [young(sort: sort), young(sort: sort, limit: 2), young(distinct: [[rank]])] {
            try expectDamage(plan) {
                try $0.set(
                    DamagedAdvanceTests.table, ObjectKey(rawValue: 1_500), ColumnKey(rawValue: 1),
                    .int(-1))
            }
        }
    }
}

import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Steps of results that excluded all rows by the bounds of a column. Then a row matches, because
/// its leaf is damaged and reads as zeros, or because the bounds are forged.
@Suite struct DamagedAdvanceTests {
    private static let table = TableKey(rawValue: 0)
    private static let age = ColumnDefinition(name: "age", type: .int)
    private static let rank = ColumnDefinition(name: "rank", type: .int)

    /// Loads 3,000 rows from a file in which the leaves of all ages are damaged or, if `isForged`,
    /// their bounds are wrong.
    private func load(isForged: Bool) throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        _ = try transaction.addTable(
            name: "Guest", columns: [DamagedAdvanceTests.age, DamagedAdvanceTests.rank])
        for rank in 0..<3_000 {
            _ = try transaction.insert(
                DamagedAdvanceTests.table, [.int(isForged ? 10 : 20), .int(Int64(rank))])
        }
        let file = MemoryNodesFile()
        let made = try transaction.commit(timestampMicroseconds: 0).root
        if isForged {
            made.table(DamagedAdvanceTests.table)?.forEachCluster { cluster in
                cluster.slot(0).store(20 as Int64, ClusterOffsets.a)
                cluster.slot(0).store(20 as Int64, ClusterOffsets.b)
                return true
            }
        }
        let root = try TestCheckpoint(made, to: file).load(from: file)
        if isForged { return root }
        root.table(DamagedAdvanceTests.table)?.forEachCluster { cluster in
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
        for isForged in [false, true] { try expectDamage(plan, change, load(isForged: isForged)) }
    }

    private func expectDamage(
        _ plan: QueryPlan, _ change: (EngineTransaction) throws -> Void, _ root: DatabaseRoot
    ) throws {
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

    /// An equal decimal with another exponent replaces the sort value without moving the row.
    // Covers .invalidDatabase
    @Test func aReplacedRowThatTheResultDoesNotHaveIsToldAsDamage() throws {
        func decimal(_ text: String) throws -> Value {
            .decimal(try requireValue(DecimalBits(text: text)))
        }
        let setup = EngineTransaction(base: .empty)
        let rooms = try setup.addTable(
            name: "Room", columns: [ColumnDefinition(name: "price", type: .decimal)])
        let guests = try setup.addTable(
            name: "Guest", columns: [DamagedAdvanceTests.age, .link(name: "room", to: rooms)])
        let room = try setup.insert(rooms, [decimal("1.0")])
        _ = try setup.insert(guests, [.int(10), .int(Int64(room.rawValue))])
        let made = try setup.commit(timestampMicroseconds: 0).root
        made.table(guests)?.forEachCluster { cluster in
            cluster.slot(0).store(20 as Int64, ClusterOffsets.a)
            cluster.slot(0).store(20 as Int64, ClusterOffsets.b)
            return true
        }
        let file = MemoryNodesFile()
        let root = try TestCheckpoint(made, to: file).load(from: file)
        let price = ColumnReference(
            name: "price", type: .decimal, missing: try decimal("0"),
            hops: [Hop(.link, "room", target: "Room")])
        let plan = young(sort: [SortTerm(column: price, ascending: true)])
        try expectDamage(
            plan, { try $0.set(rooms, room, ColumnKey(rawValue: 0), decimal("1.00")) }, root)
    }
}

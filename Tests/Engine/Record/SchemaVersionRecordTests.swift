import Foundation
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine
@testable import RegnumStore

/// The schema version in records, checkpoints, transactions and on-disk realms.
@Suite struct SchemaVersionRecordTests {
    /// The body of a record of version 2 without operations.
    private let start: [UInt8] =
        [2, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 8) + [0]

    private func base(version: UInt64) throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        let table = try transaction.addTable(
            name: "A", columns: [ColumnDefinition(name: "n", type: .int)])
        _ = try transaction.insert(table, [.int(1)])
        if version > 0 { transaction.setSchemaVersion(version) }
        return try commitAndReplay(transaction).root
    }

    private func apply(_ operations: [UInt8], to base: DatabaseRoot) throws -> UInt64 {
        try CommitRecord.apply(start + operations, to: base).root.schema.version
    }

    @Test func versionIsKeptByEveryOtherChangeOfTheSchema() throws {
        let root = try base(version: 300)
        expectEqual(root.schema.version, 300)
        let transaction = EngineTransaction(base: root)
        let table = try transaction.addTable(
            name: "B", columns: [ColumnDefinition(name: "n", type: .int)])
        _ = try transaction.addColumn(table, ColumnDefinition(name: "m", type: .int))
        _ = try transaction.addList(table, name: "l", target: table)
        expectEqual(transaction.schema.version, 300)
        transaction.setSchemaVersion(.max)
        try expectEqual(commitAndReplay(transaction).root.schema.version, .max)
    }

    @Test func aVersionAloneIsACommit() throws {
        let transaction = EngineTransaction(base: .empty)
        expectTrue(!transaction.hasChanges)
        transaction.setSchemaVersion(7)
        expectTrue(transaction.hasChanges)
        let commit = try commitAndReplay(transaction)
        expectTrue(Array(commit.body.suffix(2)) == [10, 7] && commit.root.schema.tables.isEmpty)
        expectTrue(commit.root.schema.version == 7 && commit.root.version == 1)
    }

    @Test func savepointTakesItBack() throws {
        let transaction = EngineTransaction(base: try base(version: 2))
        let savepoint = transaction.savepoint()
        transaction.setSchemaVersion(3)
        transaction.rollback(to: savepoint)
        expectTrue(transaction.schema.version == 2 && !transaction.hasChanges)
        transaction.setSchemaVersion(4)
        try expectEqual(commitAndReplay(transaction).root.schema.version, 4)
    }

    @Test func versionThatDoesNotRiseOrComesLateIsRefused() throws {
        let root = try base(version: 5)
        try expectEqual(apply([10, 6], to: root), 6)
        try expectEqual(apply([10, 6, 10, 9], to: root), 9)
        let wrong: [[UInt8]] = [
            [10], [10, 5], [10, 4], [10, 0], [10, 0x86, 0], [10, 7, 10, 6], [3, 0, 1, 0, 0, 10, 6],
        ]
        for operations in wrong {
            let error = #expect(throws: StoreError.self, "\(operations)") {
                try apply(operations, to: root)
            }
            expectEqual(error?.code, .invalidDatabase, "\(operations)")
        }
    }

    @Test func checkpointsHaveIt() throws {
        for version: UInt64 in [0, 1, 127, 128, .max] {
            let root = try base(version: version)
            let file = MemoryNodesFile()
            let checkpoint = try TestCheckpoint(root, to: file)
            let loaded = try checkpoint.load(from: file)
            expectEqual(loaded.schema.version, version)
            expectEqual(loaded.stateHash(), root.stateHash())
        }
    }
}

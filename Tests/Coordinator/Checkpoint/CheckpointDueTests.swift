import Glibc
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// When checkpoints are written.
@Suite(.timeLimit(.minutes(40)))
struct CheckpointDueTests {
    /// Few rows can have most of the bytes.
    @Test func deletingFewLargeValuesGivesTheSpaceBack() async throws {
        let disk = SimFileSystem()
        let coordinator = try await openBusy("/sim", disk, every: .max) { options in
            options.store.nodesSlackByteCount = 64 << 10
            options.store.retention = .none
        }
        var turn = try await coordinator.beginWrite()
        var transaction = EngineTransaction(base: turn.base)
        let table = try transaction.addTable(
            name: "Text", columns: [ColumnDefinition(name: "text", type: .string)])
        let text = String(repeating: "x", count: 20_000)
        var keys: [ObjectKey] = []
        for number in 0..<30 {
            keys.append(try transaction.insert(table, [.string("\(text)\(number)")]))
        }
        for number in 0..<100 { _ = try transaction.insert(table, [.string("\(number)")]) }
        var commit = try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 1000)
        try await coordinator.commit(turn, commit, durability: .full)
        try await eventually { coordinator.statistics.reloads == 1 }
        expectTrue(disk.fileNames(in: "/sim").contains("nodes-1"))
        turn = try await coordinator.beginWrite()
        transaction = EngineTransaction(base: turn.base)
        transaction.delete(table, Array(keys[..<10]))
        let savepoint = transaction.savepoint()
        transaction.delete(table, Array(keys[10...]))
        transaction.rollback(to: savepoint)
        commit = try transaction.commit(timestampMicroseconds: 0)
        expectTrue((200_000..<210_000).contains(commit.freedFileByteCount))
        try await coordinator.commit(turn, commit, durability: .full)
        try await insert(0, into: coordinator)
        expectEqual(coordinator.statistics.checkpoints, 1, "most of it is still in use")
        turn = try await coordinator.beginWrite()
        transaction = EngineTransaction(base: turn.base)
        transaction.delete(table, Array(keys[10...]))
        commit = try transaction.commit(timestampMicroseconds: 0)
        try await coordinator.commit(turn, commit, durability: .full)
        try await eventually { !disk.fileNames(in: "/sim").contains("nodes-1") }
        for number in 1..<10 { try await insert(number, into: coordinator) }
        expectEqual(coordinator.statistics.checkpoints, 2)
        await coordinator.close()
    }

    /// A file system without locks left isn't another process that writes a checkpoint.
    @Test func aCheckpointLockThatCannotBeTakenIsReportedOncePerEpisode() async throws {
        let disk = SimFileSystem()
        let failures = Guarded<[Int32?]>([])
        let coordinator = try await openBusy("/sim", disk, every: 1) { options in
            options.store.lingerNanoseconds = 3_600_000_000_000  // keeps the writer lock
            options.report = { event in
                if case .checkpointFailed(let error) = event {
                    failures.withLock { $0.append(error.errno) }
                }
            }
        }
        var number = 0
        func insertUntil(_ condition: () -> Bool) async throws {
            try await eventually {
                try await insert(number, into: coordinator)
                number += 1
                return condition()
            }
        }
        try await insertUntil { coordinator.statistics.checkpoints > 0 }
        for episode in 1...2 {
            disk.inject(SimFailure(.lock, errno: ENOLCK, times: .forever))
            let fired = disk.firedFailureCount
            try await insertUntil { disk.firedFailureCount >= fired + 3 }
            expectEqual(failures.withLock { $0 }, Array(repeating: ENOLCK, count: episode))
            disk.clearFailures()
            let count = coordinator.statistics.checkpoints
            try await insertUntil { coordinator.statistics.checkpoints > count + 1 }
        }
        await coordinator.close()
        try expectEqual(numbers(reopened("/sim", disk).root), Array(0..<number))
    }
}

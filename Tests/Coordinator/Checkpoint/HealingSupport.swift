import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// The failed checkpoints and reloads that a coordinator reports.
final class CheckpointFailures: Sendable {
    private let found = Guarded<[StoreError]>([])

    var errors: [StoreError] { found.withLock { $0 } }

    var report: @Sendable (CoordinatorEvent) -> Void {
        { [self] event in
            if case .checkpointFailed(let error) = event { found.withLock { $0.append(error) } }
        }
    }
}

/// Creates a realm with 61 rows, an older checkpoint with the first 50 and a newest one whose
/// content versions are damaged, and opens it.
func openDamagedRealm(
    _ disk: SimFileSystem, isDamaged: Bool = true,
    _ change: (inout CoordinatorOptions) -> Void = { _ in }
) async throws -> Coordinator {
    let coordinator = try await openPeer("/sim", disk) {
        $0.checkpoint.minimumClosingByteCount = 1
    }
    try await insertInBulk(0..<50, into: coordinator)
    for number in 50...60 { try await insert(number, into: coordinator) }
    await coordinator.close()
    let newest = try requireValue(reopened("/sim", disk).report.checkpoint)
    expectEqual(newest.version, 12)
    if isDamaged {
        // The content versions are just before the directory of the newest checkpoint.
        disk.damage("nodes-1", in: "/sim") { bytes in bytes[Int(newest.offset) - 300] ^= 1 }
    }
    return try await openPeer("/sim", disk, change)
}

/// Creates a nodes file as for a checkpoint that is finished, but not recorded yet.
func makePendingCheckpoint(_ coordinator: Coordinator) throws -> FinishedCheckpoint {
    let log = try requireValue(coordinator.state.withLock { $0.log })
    let newest = try requireValue(log.newestCheckpoint)
    let isLocked = try log.tryLockCheckpoint()
    expectTrue(isLocked)
    let appender = try log.nodes.appender(
        after: newest, liveByteCount: 0, isNewFileWanted: true)
    log.unlockCheckpoint()
    return FinishedCheckpoint(
        reference: newest, newFile: appender.newFileNumber, base: newest,
        reframeCount: log.reframeCount, deletions: Deletions())
}

/// Adds rows to the class "Other" in a bulk commit.
func insertOthersInBulk(into coordinator: Coordinator) async throws {
    let turn = try await coordinator.beginWrite()
    let transaction = EngineTransaction(base: turn.base)
    let table = try other(transaction)
    for number in 0..<50 { _ = try transaction.insert(table, [.int(Int64(number))]) }
    let commit = try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 16)
    try await coordinator.commit(turn, commit, durability: .full)
}

func insertOther(into coordinator: Coordinator) async throws {
    let turn = try await coordinator.beginWrite()
    let transaction = EngineTransaction(base: turn.base)
    _ = try transaction.insert(try other(transaction), [.int(1)])
    let commit = try transaction.commit(timestampMicroseconds: 0)
    try await coordinator.commit(turn, commit, durability: .full)
}

private func other(_ transaction: EngineTransaction) throws -> TableKey {
    try transaction.schema.table(named: "Other")?.key
        ?? transaction.addTable(
            name: "Other", columns: [ColumnDefinition(name: "value", type: .int)])
}

/// Inserts the rows of `insertOthersInBulk`, as soon as bulk commits are possible.
func insertOthersInBulkOnceNotBusy(into coordinator: Coordinator) async throws {
    try await eventually {
        do {
            try await insertOthersInBulk(into: coordinator)
            return true
        } catch let error as StoreError where error.code == .busy {
            return false
        }
    }
}

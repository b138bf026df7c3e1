import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Synchronization
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// What a process does about a damaged leaf in its nodes file.
@Suite(.timeLimit(.minutes(20)))
struct HealingTests {
    /// Creates a realm with 61 rows, an older checkpoint with the first 50 and a newest one whose
    /// content versions are damaged, and opens it.
    private func damagedRealm(
        _ disk: SimFileSystem, _ change: (inout CoordinatorOptions) -> Void = { _ in }
    ) async throws -> Coordinator {
        let coordinator = try await openPeer("/sim", disk) {
            $0.checkpoint.closingByteCountMin = 1
        }
        try await insertInBulk(0..<50, into: coordinator)
        for number in 50...60 { try await insert(number, into: coordinator) }
        await coordinator.close()
        let newest = try #require(try reopened("/sim", disk).report.checkpoint)
        disk.damage("nodes-1", in: "/sim") { bytes in bytes[Int(newest.offset) - 300] ^= 1 }
        return try await openPeer("/sim", disk, change)
    }

    /// Its checkpoint would be the newest one, with the damage, and release the intact one.
    // Covers .busy
    @Test func aBulkCommitIsRefusedWhileTheOlderCheckpointIsLoaded() async throws {
        let disk = SimFileSystem()
        let coordinator = try await damagedRealm(disk)
        _ = coordinator.published.stateHash()
        #expect(coordinator.published.damage?.code == .invalidDatabase)
        #expect(
            await storeErrorCode { try await insertOthersInBulk(into: coordinator) } == .busy)
        try await eventually {
            do {
                try await insertOthersInBulk(into: coordinator)
                return true
            } catch let error as StoreError where error.code == .busy {
                return false
            }
        }
        #expect(numbers(coordinator.published) == Array(0...60))
        _ = coordinator.published.stateHash()
        #expect(coordinator.published.damage == nil)
        await coordinator.close()
        let (root, _) = try reopened("/sim", disk)
        #expect(numbers(root) == Array(0...60))
        _ = root.stateHash()
        #expect(root.damage == nil)
    }

    @Test func damageOfBothCheckpointsIsReportedOnce() async throws {
        let disk = SimFileSystem()
        let first = try await openPeer("/sim", disk)
        try await insertInBulk(0..<50, into: first)
        try await insertOthersInBulk(into: first)
        await first.close()
        disk.flipBit(8 * (4096 + 20), of: "nodes-1", in: "/sim")  // the first leaf

        let failures = Mutex<[StoreError]>([])
        let coordinator = try await openPeer("/sim", disk) {
            $0.report = { event in
                if case .checkpointFailed(let error) = event {
                    failures.withLock { $0.append(error) }
                }
            }
        }
        for _ in 0..<3 {
            _ = coordinator.published.stateHash()
            #expect(coordinator.published.damage?.code == .invalidDatabase)
            coordinator.heal()
            try await eventually { failures.withLock { !$0.isEmpty } }
        }
        await coordinator.close()
        let reported = failures.withLock { $0 }
        #expect(reported.count == 1)
        let error = try #require(reported.first)
        #expect(error.code == .invalidDatabase && error.position != nil)
        #expect(error.sentence.hasPrefix("The older checkpoint has the same damage."))
    }

    /// A leaf that no one has read yet turns out to be damaged when a new nodes file is begun.
    @Test(arguments: [false, true])
    func aCheckpointThatMeetsDamageStaysInItsFile(inBulk: Bool) async throws {
        let disk = SimFileSystem()
        let first = try await openPeer("/sim", disk)
        try await insertInBulk(0..<50, into: first)
        try await insertOthersInBulk(into: first)
        await first.close()
        disk.flipBit(8 * (4096 + 20), of: "nodes-1", in: "/sim")  // the first leaf

        let coordinator = try await openPeer("/sim", disk) {
            $0.store.nodesSlackByteCount = 0
            $0.checkpoint.paceNanoseconds = 0
        }
        // The file then has more than twice the live bytes.
        disk.damage("nodes-1", in: "/sim") { $0 += [UInt8](repeating: 0, count: 1 << 20) }
        let version = coordinator.published.version
        if inBulk {
            try await insertOthersInBulk(into: coordinator)
        } else {
            try await insertOther(into: coordinator)
            coordinator.state.withLock { $0.checkpoint.wantedVersion = version + 1 }
            coordinator.heal()  // wakes the pump
            try await eventually { coordinator.statistics.checkpoints == 1 }
        }
        #expect(coordinator.published.version == version + 1)
        await coordinator.close()
        let names = disk.fileNames(in: "/sim")
        #expect(names.filter { $0.hasPrefix("nodes-") } == ["nodes-1"])
        let (root, report) = try reopened("/sim", disk)
        #expect(root.version == version + 1 && report.checkpoint?.version == root.version)
    }
}

/// Adds rows to the class "Other" in a bulk commit.
private func insertOthersInBulk(into coordinator: Coordinator) async throws {
    let turn = try await coordinator.beginWrite()
    let transaction = EngineTransaction(base: turn.base)
    let table = try other(transaction)
    for number in 0..<50 { _ = try transaction.insert(table, [.int(Int64(number))]) }
    let commit = try transaction.commit(timestampMicroseconds: 0, bodyByteCountMax: 16)
    try await coordinator.commit(turn, commit, durability: .full)
}

private func insertOther(into coordinator: Coordinator) async throws {
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

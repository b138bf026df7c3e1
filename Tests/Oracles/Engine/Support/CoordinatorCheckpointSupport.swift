import Foundation
import RegnumSimulation
import RegnumStore

@testable import RegnumEngine

/// Opens a coordinator that makes a checkpoint every few commits, and always adopts it.
func openBusy(
    _ path: String, _ fileSystem: any FileSystem, every commitCount: UInt64 = 3,
    _ change: (inout CoordinatorOptions) -> Void = { _ in }
) async throws -> Coordinator {
    try await openPeer(path, fileSystem) { options in
        options.checkpoint.maximumCommitCount = commitCount
        options.checkpoint.minimumReloadByteCount = 0
        options.checkpoint.paceNanoseconds = 0
        options.checkpoint.retryNanoseconds = 100_000
        options.store.nodesSlackByteCount = 16 << 10
        change(&options)
    }
}

/// Polls until `condition` holds, for at most eight minutes.
func eventually(_ condition: () async throws -> Bool) async throws {
    let deadline = Date().addingTimeInterval(480)
    while try await !condition() {
        guard Date() < deadline else { throw TestFailure("condition not met in eight minutes") }
        await Task.yield()
    }
}

/// Lets a coordinator go on with its checkpoints if more than `limit` rows were added meanwhile,
/// because the thread that writes them may be late.
func giveTime(to coordinator: Coordinator, after limit: Int, _ count: Int) async {
    if count > limit { try? await Task.sleep(for: .milliseconds(5)) }
}

/// Commits `count` rows in bulk.
@discardableResult
func insertInBulk(
    _ range: Range<Int>, into coordinator: Coordinator, origin: String? = "bulk"
) async throws -> Commit {
    let turn = try await coordinator.beginWrite()
    let commit = try makeBulk(range, on: turn.base, origin: origin)
    try await coordinator.commit(turn, commit, durability: .full)
    return commit
}

func makeBulk(
    _ range: Range<Int>, on base: DatabaseRoot, origin: String? = "bulk"
) throws -> Commit {
    let transaction = EngineTransaction(base: base, origin: origin)
    let table =
        try transaction.schema.table(named: "Number")?.key
        ?? transaction.addTable(
            name: "Number", columns: [ColumnDefinition(name: "value", type: .int)])
    for number in range { _ = try transaction.insert(table, [.int(Int64(number))]) }
    return try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 16)
}

/// Reads what is on disk, as another process would.
func reopened(
    _ path: String, _ fileSystem: any FileSystem, _ key: EncryptionKey? = nil
) throws -> (root: DatabaseRoot, report: RecoveryReport) {
    var options = StoreOptions()
    options.firstSegmentByteCount = 16384
    options.key = key
    let incoming = IncomingCommits(.makeEmpty(), nil, keepsSteps: false)
    let (_, report) = try RealmLog.open(
        fileSystem, path: path, options: options, load: incoming.begin, incoming.apply)
    return (incoming.root, report)
}

/// Makes a checkpoint of the published version and returns once the coordinator is rooted in it, or
/// in a newer one.
func checkpointNow(_ coordinator: Coordinator) async throws {
    let version = coordinator.published.version
    coordinator.state.withLock { state in
        state.checkpoint.wantedVersion = max(state.checkpoint.wantedVersion, version)
    }
    try await eventually {
        coordinator.hint()
        coordinator.heal()  // wakes the pump
        return coordinator.state.withLock { $0.checkpoint.baseVersion } >= version
    }
}

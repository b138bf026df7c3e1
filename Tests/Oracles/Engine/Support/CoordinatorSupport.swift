import Foundation
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// A realm directory that is removed with its last reference.
final class TemporaryRealm: Sendable {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "regnum-" + UUID().uuidString + ".realm"
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Opens the coordinator of `path` as another process would: the registry distinguishes by file
/// system. The IDLE record is written only on close, so that it never appears between two steps of
/// a test.
func openPeer(
    _ path: String, _ fileSystem: any FileSystem = PosixFileSystem(),
    _ change: (inout CoordinatorOptions) -> Void = { _ in }
) async throws -> Coordinator {
    var options = CoordinatorOptions(place: .directory(path: path), fileSystem: fileSystem)
    options.store.idleDelayNanoseconds = 3_600_000_000_000
    options.checkpoint.bulkTimeoutNanoseconds = 3_600_000_000_000
    if fileSystem is SimFileSystem || fileSystem is SimView {
        options.store.firstSegmentByteCount = 16384  // the simulation tracks every sector
        // Simulated time advances with each attempt at a lock, however long its holder waits for a
        // processor.
        options.store.openTimeoutNanoseconds = 1_000_000_000_000_000_000
    }
    change(&options)
    return try await Coordinator.open(options)
}

/// Inserts `number` into the class "Number", which is created if it is missing.
@discardableResult
func insert(
    _ number: Int, into coordinator: Coordinator, durability: Durability = .full,
    timeoutNanoseconds: UInt64? = nil
) async throws -> UInt64 {
    let turn = try await coordinator.beginWrite(timeoutNanoseconds: timeoutNanoseconds)
    let commit = try makeInsert(number, on: turn.base)
    try await coordinator.commit(turn, commit, durability: durability)
    return commit.root.version
}

/// Inserts numbers from 0 on, each in a relaxed commit, until one isn't synced. (One during a batch
/// or while the pump is active is.) Returns how many, and the syncs until then.
func insertUnsynced(
    into coordinator: Coordinator, withinSeconds seconds: UInt64
) async throws -> (count: Int, syncs: UInt64) {
    var count = 0
    var syncs: UInt64
    repeat {
        syncs = coordinator.statistics.syncs
        try await insert(
            count, into: coordinator,
            durability: .relaxed(withinNanoseconds: seconds * 1_000_000_000))
        count += 1
    } while coordinator.statistics.syncs != syncs
    return (count, syncs)
}

func makeInsert(_ number: Int, on base: DatabaseRoot) throws -> Commit {
    let transaction = EngineTransaction(base: base, origin: nil)
    let table =
        try transaction.schema.table(named: "Number")?.key
        ?? transaction.addTable(
            name: "Number", columns: [ColumnDefinition(name: "value", type: .int)])
    _ = try transaction.insert(table, [.int(Int64(number))])
    return try transaction.commit(timestampMicroseconds: 0)
}

/// The numbers in the realm, in order of insertion.
func numbers(_ root: DatabaseRoot) -> [Int] {
    guard let table = root.schema.table(named: "Number")?.key else { return [] }
    var numbers: [Int] = []
    for key in root.keys(table) {
        let value = root.value(table, key, ColumnKey(rawValue: 0))
        if case .int(let number)? = value { numbers.append(Int(number)) }
    }
    return numbers
}

extension Subscription {
    /// Returns once the commits up to a published version have been processed.
    func sees(_ version: UInt64) async {
        while processedVersion < version, !Task.isCancelled { await Task.yield() }
    }
}

/// Returns the code of the `StoreError` that `body` throws, if it throws one.
func storeErrorCode<R>(_ body: () async throws -> R) async -> StoreError.Code? {
    do {
        _ = try await body()
        return nil
    } catch let error as StoreError {
        return error.code
    } catch {
        return nil
    }
}

/// Blocks the store's threads at one kind of effect of a simulated file system until it is opened,
/// or only the first thread that gets there.
final class EffectGate: Sendable {
    private let reached = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)
    private let isArmed = Guarded(true)

    init(_ fileSystem: SimFileSystem, at kind: EffectKind, once: Bool = false) {
        fileSystem.onEffect = { [self] effect, _ in
            guard effect == kind else { return }
            let blocks = isArmed.withLock { isArmed in
                defer { if once { isArmed = false } }
                return isArmed
            }
            guard blocks else { return }
            reached.signal()
            opened.wait()
        }
    }

    /// Returns once the store is blocked at the effect.
    func waitUntilReached() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                self.reached.wait()
                continuation.resume()
            }
        }
    }

    /// Lets the store continue, now and at later effects.
    func open() {
        isArmed.withLock { $0 = false }
        opened.signal()
    }
}

import FoundationEssentials
import Regnum
import RegnumEngine
import RegnumSimulation
import RegnumStore

/// The processes of a history, as far as they are this one.
protocol StreamSides: AnyObject {
    var count: Int { get }
    /// Whether a side can be closed and opened again.
    var isOnDisk: Bool { get }
    /// Where a stream can go on from a cursor.
    var resumption: StreamResumption { get }
    /// The realm of a side, nil if that is another process.
    func realm(_ side: Int) -> Realm?
    /// Returns when the streams of a side can tell of a version.
    func settle(_ side: Int, _ version: UInt64) async throws
    /// Closes a side, if it is of this process, and opens it again.
    func reopen(_ side: Int) async throws
    /// All that this process does at a step is done; returns when the other one is as far.
    func finish(_ step: Int) async throws
    func close() async
}

enum StreamResumption {
    /// A realm in memory has no past.
    case never
    case onSameSide
    case anywhere
}

/// A realm, and how far its streams can tell.
final class StreamSide {
    let realm: Realm
    private let coordinator: Coordinator
    private let subscription: Subscription
    private let slot: SignalSlot

    init(_ configuration: Realm.Configuration, _ fileSystem: any FileSystem) async throws {
        realm = try await Realm.open(configuration)
        let place: RealmPlace =
            switch configuration.location {
            case .file(let url): .directory(path: url.path)
            case .inMemory(let identifier): .memory(identifier: identifier)
            }
        // the one that is open
        coordinator = try await Coordinator.open(
            CoordinatorOptions(place: place, fileSystem: fileSystem))
        subscription = coordinator.subscribe(keeps: .nothing) { _ in .all }
        slot = subscription.attach()
    }

    /// Returns when all commits up to a version were looked at for the streams.
    func settle(_ version: UInt64, hints: Bool) async throws {
        if coordinator.published.version < version, hints { coordinator.hint() }
        while subscription.seenVersion < version {
            switch await slot.wait() {
            case .changed: _ = subscription.take()
            case .closed: throw StreamFailure("the realm is closed before version \(version)")
            case .cancelled: throw StreamFailure("waits for version \(version)")
            }
        }
    }

    func close() async {
        slot.close()
        subscription.cancel()
        await realm.close()
    }
}

/// One realm in memory.
final class MemorySides: StreamSides {
    let count = 1
    let isOnDisk = false
    let resumption = StreamResumption.never
    private let side: StreamSide

    init(seed: UInt64) async throws {
        side = try await StreamSide(
            Realm.Configuration(
                location: .inMemory(identifier: "streams \(seed) \(UUID())"),
                objectTypes: streamClasses),
            PosixFileSystem.shared)
    }

    func realm(_ side: Int) -> Realm? { self.side.realm }

    func settle(_ side: Int, _ version: UInt64) async throws {
        try await self.side.settle(version, hints: false)
    }

    func reopen(_ side: Int) async throws {}

    func finish(_ step: Int) async throws {}

    func close() async { await side.close() }
}

/// Two realms of one directory of a simulated disk, as two processes have them.
final class SimulatedSides: StreamSides {
    let count = 2
    let isOnDisk = true
    let resumption = StreamResumption.anywhere
    private let views: [any FileSystem]
    private var sides: [StreamSide] = []

    init(seed: UInt64) async throws {
        let disk = SimFileSystem(seed: seed)
        views = [disk, StreamView(disk)]
        for index in views.indices { sides.append(try await open(index)) }
    }

    private func open(_ index: Int) async throws -> StreamSide {
        let view = views[index]
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: "/streams")), objectTypes: streamClasses)
        configuration.adjust = { options in
            options.fileSystem = view
            options.store.idleDelayNanoseconds = 3_600_000_000_000
            options.store.firstSegmentByteCount = 16384
            options.retention = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
        }
        return try await StreamSide(configuration, view)
    }

    func realm(_ side: Int) -> Realm? { sides[side].realm }

    func settle(_ side: Int, _ version: UInt64) async throws {
        try await sides[side].settle(version, hints: true)
    }

    func reopen(_ side: Int) async throws {
        await sides[side].close()
        sides[side] = try await open(side)
    }

    func finish(_ step: Int) async throws {}

    func close() async {
        for side in sides { await side.close() }
    }
}

/// The second process's view of the disk: another object, so that it gets its own coordinator.
private final class StreamView: FileSystem {
    private let disk: SimFileSystem

    init(_ disk: SimFileSystem) { self.disk = disk }

    func openDirectory(_ path: String, create: Bool) throws(StoreError) -> any RealmDirectory {
        try disk.openDirectory(path, create: create)
    }
    func bootID() -> Identity128? { disk.bootID() }
    func random() -> UInt64 { disk.random() }
    func monotonicNanoseconds() -> UInt64 { disk.monotonicNanoseconds() }
    func wallClockMicroseconds() -> Int64 { disk.wallClockMicroseconds() }
}

/// One side of a realm on real files that another process shares.
final class SharedSides: StreamSides {
    let count = 2
    let isOnDisk = true
    let resumption = StreamResumption.onSameSide
    private let own: Int
    private let configuration: Realm.Configuration
    private var side: StreamSide
    /// Tells the other process of a step, and waits for it to be there.
    private let meet: (Int) async throws -> Void

    init(own: Int, path: String, meet: @escaping (Int) async throws -> Void) async throws {
        self.own = own
        self.meet = meet
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: path)), objectTypes: streamClasses)
        configuration.adjust = { options in
            options.store.firstSegmentByteCount = 16384
            options.retention = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
        }
        self.configuration = configuration
        side = try await StreamSide(configuration, PosixFileSystem.shared)
    }

    func realm(_ side: Int) -> Realm? { side == own ? self.side.realm : nil }

    func settle(_ side: Int, _ version: UInt64) async throws {
        try await self.side.settle(version, hints: false)
    }

    func reopen(_ side: Int) async throws {
        guard side == own else { return }
        await self.side.close()
        self.side = try await StreamSide(configuration, PosixFileSystem.shared)
    }

    func finish(_ step: Int) async throws { try await meet(step) }

    func close() async { await side.close() }
}

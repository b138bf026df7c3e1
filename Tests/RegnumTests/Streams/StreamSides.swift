import FoundationEssentials
import Regnum
import RegnumEngine
import RegnumSimulation
import RegnumStore

/// The processes of a history, as far as they are this one.
protocol StreamSides: AnyObject {
    var count: Int { get }
    /// The realm of a side, nil if that is another process.
    func realm(_ side: Int) -> Realm?
    /// Returns when a side shows a version.
    func settle(_ side: Int, _ version: UInt64) async throws
    func close() async
}

/// One realm in memory.
final class MemorySide: StreamSides {
    let count = 1
    private let only: Realm

    init() async throws {
        only = try await Realm.temporary(streamClasses)
    }

    func realm(_ side: Int) -> Realm? { only }

    func settle(_ side: Int, _ version: UInt64) async throws {}

    func close() async { await only.close() }
}

/// Two realms of one directory of a simulated disk, as two processes have them.
final class SimulatedSides: StreamSides {
    let count = 2
    private let realms: [Realm]
    private let coordinators: [Coordinator]

    init(seed: UInt64) async throws {
        let disk = SimFileSystem(seed: seed)
        var realms: [Realm] = []
        var coordinators: [Coordinator] = []
        for view in [disk, StreamView(disk)] as [any FileSystem] {
            var configuration = Realm.Configuration(
                location: .file(URL(filePath: "/streams")), objectTypes: streamClasses)
            configuration.adjust = { options in
                options.fileSystem = view
                options.store.idleDelayNanoseconds = 3_600_000_000_000
                options.store.firstSegmentByteCount = 16384
            }
            realms.append(try await Realm.open(configuration))
            // the one that is open
            coordinators.append(
                try await Coordinator.open(
                    CoordinatorOptions(place: .directory(path: "/streams"), fileSystem: view)))
        }
        self.realms = realms
        self.coordinators = coordinators
    }

    func realm(_ side: Int) -> Realm? { realms[side] }

    func settle(_ side: Int, _ version: UInt64) async throws {
        let coordinator = coordinators[side]
        if coordinator.published.version >= version { return }
        coordinator.hint()
        try await coordinator.waitUntil(version: version)
    }

    func close() async {
        for realm in realms { await realm.close() }
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
final class SharedSide: StreamSides {
    let count = 2
    private let own: Int
    private let only: Realm

    init(own: Int, path: String) async throws {
        self.own = own
        only = try await Realm.open(
            Realm.Configuration(
                location: .file(URL(filePath: path)), objectTypes: streamClasses))
    }

    func realm(_ side: Int) -> Realm? { side == own ? only : nil }

    func settle(_ side: Int, _ version: UInt64) async throws {
        if only.snapshot().version >= version { return }
        _ = try await only.snapshot(atLeast: version)
    }

    func close() async { await only.close() }
}

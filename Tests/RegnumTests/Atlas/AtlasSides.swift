import FoundationEssentials
import Regnum
import RegnumEngine
import RegnumSimulation
import RegnumStore

/// The processes that use the realm of a sequence, as far as they are this one.
protocol AtlasSides: AnyObject {
    var count: Int { get }
    /// Whether a side can be closed and opened again.
    var isOnDisk: Bool { get }
    /// The realm of a side, nil if that is another process.
    func realm(_ side: Int) -> Realm?
    /// Closes a side and opens it again.
    func reopen(_ side: Int) async throws
    /// All that this process does at a place is done; returns when the other one is as far.
    func meet(_ place: Int) async throws
    func close() async
}

/// One realm in memory.
final class AtlasMemorySides: AtlasSides {
    let count = 1
    let isOnDisk = false
    private let realm: Realm

    init(seed: UInt64, _ types: [ObjectBase.Type]) async throws {
        realm = try await Realm.open(
            Realm.Configuration(
                location: .inMemory(identifier: "atlas \(seed) \(UUID())"), objectTypes: types))
    }

    func realm(_ side: Int) -> Realm? { realm }
    func reopen(_ side: Int) async throws {}
    func meet(_ place: Int) async throws {}
    func close() async { await realm.close() }
}

/// Two realms of one directory of a simulated disk, as two processes have them.
final class AtlasSimulatedSides: AtlasSides {
    let isOnDisk = true
    private let views: [any FileSystem]
    private let types: [ObjectBase.Type]
    private var realms: [Realm] = []

    init(seed: UInt64, count: Int, _ types: [ObjectBase.Type]) async throws {
        let disk = SimFileSystem(seed: seed)
        views = count == 1 ? [disk] : [disk, AtlasView(disk)]
        self.types = types
        for side in views.indices { realms.append(try await open(side)) }
    }

    var count: Int { views.count }

    private func open(_ side: Int) async throws -> Realm {
        let view = views[side]
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: "/atlas")), objectTypes: types)
        configuration.adjust = { options in
            options.fileSystem = view
            options.store.idleDelayNanoseconds = 3_600_000_000_000
            options.store.firstSegmentByteCount = 16384
        }
        return try await Realm.open(configuration)
    }

    func realm(_ side: Int) -> Realm? { realms[side] }

    func reopen(_ side: Int) async throws {
        await realms[side].close()
        realms[side] = try await open(side)
    }

    func meet(_ place: Int) async throws {}

    func close() async { for realm in realms { await realm.close() } }
}

/// The second process's view of the disk: another object, so that it gets its own coordinator.
private final class AtlasView: FileSystem {
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
final class AtlasSharedSides: AtlasSides {
    let count = 2
    let isOnDisk = true
    private let own: Int
    private let configuration: Realm.Configuration
    private var realm: Realm
    /// Tells the other process of a place, and waits for it to be there.
    private let encounter: (Int) async throws -> Void

    init(
        own: Int, path: String, _ types: [ObjectBase.Type],
        meet: @escaping (Int) async throws -> Void
    ) async throws {
        self.own = own
        encounter = meet
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: path)), objectTypes: types)
        configuration.adjust = { $0.store.firstSegmentByteCount = 16384 }
        self.configuration = configuration
        realm = try await Realm.open(configuration)
    }

    func realm(_ side: Int) -> Realm? { side == own ? realm : nil }

    func reopen(_ side: Int) async throws {
        guard side == own else { return }
        await realm.close()
        realm = try await Realm.open(configuration)
    }

    func meet(_ place: Int) async throws { try await encounter(place) }

    func close() async { await realm.close() }
}

import FoundationEssentials
import Regnum
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// One process of a random run, with its realm.
protocol RealmSide: AnyObject, SendableMetatype {
    init(_ configuration: Realm.Configuration, _ fileSystem: any FileSystem) async throws
    var realm: Realm { get }
    func close() async
}

extension Realm.Configuration {
    /// Returns the coordinator of a realm that is already open.
    func openCoordinator(_ fileSystem: any FileSystem) async throws -> Coordinator {
        let place: RealmPlace =
            switch location {
            case .file(let url): .directory(path: url.path)
            case .inMemory(let identifier): .memory(identifier: identifier)
            }
        return try await Coordinator.open(CoordinatorOptions(place: place, fileSystem: fileSystem))
    }
}

/// The location of the realm of a random run.
enum RealmSidesPlace: Sendable {
    /// In memory, with one side.
    case memory
    /// On a simulated disk, with as many sides as processes would have it open.
    case simulated(count: Int)
    /// On real files at this path, shared with another process.
    ///
    /// `meet` reports a meeting point to the other process and waits for it to get there.
    case shared(own: Int, path: String, meet: @Sendable (Int) async throws -> Void)
}

/// The processes that use the realm of a random run, as far as they are in this process.
final class RealmSides<Side: RealmSide> {
    let count: Int
    let place: RealmSidesPlace
    private var configurations: [Int: (Realm.Configuration, any FileSystem)] = [:]
    private var sides: [Int: Side] = [:]

    /// - Parameter adjust: Further settings.
    init(
        _ place: RealmSidesPlace, seed: UInt64, _ types: [ObjectBase.Type],
        adjust: @escaping @Sendable (inout CoordinatorOptions) -> Void = { _ in }
    ) async throws {
        self.place = place
        switch place {
        case .memory:
            count = 1
            var configuration = Realm.Configuration(
                location: .inMemory(identifier: "run \(seed) \(UUID())"), objectTypes: types)
            configuration.adjust = adjust
            configurations[0] = (configuration, PosixFileSystem.shared)
        case .simulated(let count):
            self.count = count
            let disk = SimFileSystem(seed: seed)
            for side in 0..<count {
                let view: any FileSystem = side == 0 ? disk : SimView(disk)
                var configuration = Realm.Configuration(
                    location: .file(URL(filePath: "/run")), objectTypes: types)
                configuration.adjust = { options in
                    options.fileSystem = view
                    options.store.idleDelayNanoseconds = 3_600_000_000_000
                    options.store.firstSegmentByteCount = 16384
                    adjust(&options)
                }
                configurations[side] = (configuration, view)
            }
        case .shared(let own, let path, _):
            count = 2
            var configuration = Realm.Configuration(
                location: .file(URL(filePath: path)), objectTypes: types)
            configuration.adjust = { options in
                options.store.firstSegmentByteCount = 16384
                adjust(&options)
            }
            configurations[own] = (configuration, PosixFileSystem.shared)
        }
        for side in configurations.keys.sorted() { try await open(side) }
    }

    private func open(_ side: Int) async throws {
        guard let (configuration, fileSystem) = configurations[side] else { return }
        sides[side] = try await Side(configuration, fileSystem)
    }

    /// Returns a side; `nil` if it is another process.
    subscript(side: Int) -> Side? { sides[side] }

    /// Returns the realm of a side; `nil` if it is another process.
    func realm(_ side: Int) -> Realm? { sides[side]?.realm }

    /// Whether a side can be closed and opened again.
    var isOnDisk: Bool { if case .memory = place { false } else { true } }

    /// Closes a side, if it belongs to this process, and opens it again.
    func reopen(_ side: Int) async throws {
        guard isOnDisk, let open = sides[side] else { return }
        await open.close()
        try await self.open(side)
    }

    /// Reports that this process has reached a meeting point, and returns once the other one has,
    /// too.
    func meet(_ number: Int) async throws {
        if case .shared(_, _, let meet) = place { try await meet(number) }
    }

    func close() async {
        for side in sides.keys.sorted() { await sides[side]?.close() }
    }
}

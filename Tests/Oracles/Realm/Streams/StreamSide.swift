import FoundationEssentials
import Regnum
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// Where a stream can go on from a cursor.
enum StreamResumption {
    /// A realm in memory has no past.
    case never
    case onSameSide
    case anywhere
}

/// A realm, and how far its streams can tell.
final class StreamSide: RealmSide {
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

typealias StreamSides = RealmSides<StreamSide>

extension RealmSides where Side == StreamSide {
    var resumption: StreamResumption {
        switch place {
        case .memory: .never
        case .simulated: .anywhere
        case .shared: .onSameSide
        }
    }

    /// Returns when the streams of a side can tell of a version.
    func settle(_ side: Int, _ version: UInt64) async throws {
        // nobody tells the second side of a simulated disk
        var hints = false
        if case .simulated = place { hints = true }
        try await self[side]?.settle(version, hints: hints)
    }
}

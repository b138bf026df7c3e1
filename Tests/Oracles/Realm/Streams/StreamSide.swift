import FoundationEssentials
import Regnum
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// Whether and where a stream can resume from a cursor.
enum StreamResumption {
    /// An in-memory realm has no history.
    case never
    case onSameSide
    case anywhere
}

/// A realm, and how far its streams can report.
final class StreamSide: RealmSide {
    let realm: Realm
    private let coordinator: Coordinator
    private let subscription: Subscription
    private let slot: SignalSlot

    init(_ configuration: Realm.Configuration, _ fileSystem: any FileSystem) async throws {
        realm = try await Realm.open(configuration)
        coordinator = try await configuration.openCoordinator(fileSystem)
        subscription = coordinator.subscribe(buffering: .nothing) { _ in .all }
        slot = subscription.attach()
    }

    /// Returns once all commits up to a version have been processed for the streams.
    func settle(_ version: UInt64, hints: Bool) async throws {
        if coordinator.published.version < version, hints { coordinator.hint() }
        while subscription.processedVersion < version {
            switch await slot.wait() {
            case .changed: _ = subscription.take()
            case .closed: throw StreamFailure("the realm was closed before version \(version)")
            case .cancelled, .timedOut:
                throw StreamFailure("cancelled while waiting for version \(version)")
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

    /// Returns once the streams of a side can report a version.
    func settle(_ side: Int, _ version: UInt64) async throws {
        // Nothing notifies the second side of a simulated disk.
        var hints = false
        if case .simulated = place { hints = true }
        try await self[side]?.settle(version, hints: hints)
    }
}

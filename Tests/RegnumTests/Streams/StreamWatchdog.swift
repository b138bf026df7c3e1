import Regnum
import Synchronization

/// How far a history is, as it tells itself.
final class StreamPulse: Sendable {
    private let state = Mutex((beats: 0, patience: StreamWatchdog.patience))

    /// Something was done; what comes next may take so many turns of the watchdog.
    func beat(patience: Int = StreamWatchdog.patience) {
        state.withLock { $0 = ($0.beats + 1, patience) }
    }

    var current: (beats: Int, patience: Int) { state.withLock { $0 } }
}

/// Ends histories that wait for something that never comes, so that they tell what it is.
///
/// It counts turns of its own, one a second, in which a history did nothing, and not how long anything
/// takes: where the machine has no time for the history it has none for the watchdog.
enum StreamWatchdog {
    /// So many turns a history may do nothing.
    static let patience = 20
    /// While the history waits for its other half, which has a watchdog too and is to be the first.
    static let patienceForPeer = 40

    /// Runs a history, which beats the pulse; one without any beat for too long is cancelled. Streams
    /// end on cancellation, so the history throws what it waits for.
    static func run(
        _ history: @escaping @Sendable (StreamPulse) async throws -> Void
    ) async throws {
        let pulse = StreamPulse()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await history(pulse)
                return true
            }
            group.addTask {
                try await waitForStandstill(pulse)
                return false
            }
            defer { group.cancelAll() }
            if try await group.next() == true { return }
            let patience = pulse.current.patience
            group.cancelAll()
            do {
                try await group.waitForAll()
            } catch {
                throw StreamStall(description: "\(error)")
            }
            throw StreamStall(description: "nothing was done for \(patience) seconds")
        }
    }

    private static func waitForStandstill(_ pulse: StreamPulse) async throws {
        var (beats, quietTurns) = (0, 0)
        while quietTurns < pulse.current.patience {
            try await Task.sleep(for: .seconds(1))
            quietTurns = pulse.current.beats == beats ? quietTurns + 1 : 0
            beats = pulse.current.beats
        }
    }
}

/// What a history waited for that was ended by the watchdog.
struct StreamStall: Error, CustomStringConvertible {
    let description: String
}

extension StreamFailure {
    /// Not the element came that had to come. Where the stream ended because the history is
    /// cancelled, it waited for one that did not come.
    static func missing(
        _ what: String, from old: UInt64, to new: UInt64
    ) -> StreamFailure {
        Task.isCancelled
            ? StreamFailure("waits for an element from \(old) to \(new)") : StreamFailure(what)
    }
}

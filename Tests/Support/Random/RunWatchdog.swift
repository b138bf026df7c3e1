import Synchronization

/// How far a random run is, as it tells itself.
package final class RunPulse: Sendable {
    private let state = Mutex((beats: 0, patience: RunWatchdog.patience))

    /// Something was done; what comes next may take so many turns of the watchdog.
    package func beat(patience: Int = RunWatchdog.patience) {
        state.withLock { $0 = ($0.beats + 1, patience) }
    }

    package var current: (beats: Int, patience: Int) { state.withLock { $0 } }
}

/// Ends random runs that wait for something that never comes, so that they tell what it is.
///
/// It counts turns of its own, one a second, in which a run did nothing, and not how long anything
/// takes: where the machine has no time for the run it has none for the watchdog.
package enum RunWatchdog {
    /// So many turns a run may do nothing.
    package static let patience = 20
    /// While the run waits for its other half, which has a watchdog too: a task among those of a thousand
    /// other tests may have to wait for minutes. The end of the other process ends the run at once.
    package static let patienceForPeer = 600

    /// Makes a run, which beats the pulse; one without any beat for too long is cancelled. Streams
    /// end on cancellation, so the run throws what it waits for.
    package static func run(
        _ run: @escaping @Sendable (RunPulse) async throws -> Void
    ) async throws {
        let pulse = RunPulse()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await run(pulse)
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
                throw RunStall(description: "\(error)")
            }
            throw RunStall(description: "nothing was done for \(patience) seconds")
        }
    }

    private static func waitForStandstill(_ pulse: RunPulse) async throws {
        var (beats, quietTurns) = (0, 0)
        while quietTurns < pulse.current.patience {
            try await Task.sleep(for: .seconds(1))
            quietTurns = pulse.current.beats == beats ? quietTurns + 1 : 0
            beats = pulse.current.beats
        }
    }
}

/// What a run waited for that was ended by the watchdog.
package struct RunStall: Error, CustomStringConvertible {
    package let description: String
}

import RegnumStore

/// The progress of a random run, as reported by the run itself.
package final class RunPulse: Sendable {
    private let state = Guarded((beats: 0, patience: RunWatchdog.patience))

    /// Reports progress. The next step may take `patience` ticks of the watchdog.
    package func beat(patience: Int = RunWatchdog.patience) {
        state.withLock { $0 = ($0.beats + 1, patience) }
    }

    package var current: (beats: Int, patience: Int) { state.withLock { $0 } }
}

/// Cancels random runs that wait for something that never comes, so that they report what it is.
///
/// The watchdog counts its own ticks, one per second, in which a run made no progress, instead of
/// measuring time: on a machine too busy for the run, the watchdog doesn't run either.
package enum RunWatchdog {
    /// The number of ticks that a run may spend without progress.
    package static let patience = 120
    /// The number of ticks while the run waits for its other half, which has a watchdog too: a task
    /// among those of a thousand other tests may have to wait for minutes. If the other process
    /// exits, the run ends at once.
    package static let patienceForPeer = 600

    /// Executes a run, which reports its progress to the pulse; one that reports none for too long
    /// is cancelled. Streams end on cancellation, so the run throws what it is waiting for.
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
            throw RunStall(description: "no progress for \(patience) seconds")
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

/// The error of a run that the watchdog cancelled: what the run was waiting for.
package struct RunStall: Error, CustomStringConvertible {
    package let description: String
}

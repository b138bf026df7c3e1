import Glibc
import Synchronization

/// Turns SIGTERM into a call of the command's handler; without one, the process exits.
final class TerminationSignal: Sendable {
    private let action = Mutex<@Sendable () -> Void>({ _exit(128 + SIGTERM) })

    /// Blocks the signal in the calling thread and in all threads that it starts from now on.
    init() {
        var signals = Self.signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        return signals
    }

    /// Sets the action that replaces exiting the process.
    func onArrival(_ action: @escaping @Sendable () -> Void) {
        self.action.withLock { $0 = action }
    }

    /// Starts a task that the signal cancels, even if it arrives as soon as the task has begun.
    func task(
        _ body: @escaping @Sendable () async throws -> Void
    ) -> Task<Void, any Error> {
        action.withLock { action in
            let task = Task { try await body() }
            action = { task.cancel() }
            return task
        }
    }

    /// Blocks the calling thread forever to wait for the signal.
    func waitForever() -> Never {
        var signals = Self.signals
        while true {
            var number: Int32 = 0
            if sigwait(&signals, &number) == 0 { action.withLock { $0 }() }
        }
    }
}

import Glibc
import Synchronization

/// SIGTERM as a call: of what the command asked for, or else the end of the process.
final class TerminationSignal: Sendable {
    private let action = Mutex<@Sendable () -> Void>({ _exit(128 + SIGTERM) })

    /// Blocks the signal in the calling thread and all that it starts from now on.
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

    /// What to do instead of ending the process.
    func onArrival(_ action: @escaping @Sendable () -> Void) {
        self.action.withLock { $0 = action }
    }

    /// Spends the calling thread on waiting for the signal.
    func waitForever() -> Never {
        var signals = Self.signals
        while true {
            var number: Int32 = 0
            if sigwait(&signals, &number) == 0 { action.withLock { $0 }() }
        }
    }
}

import Foundation
import Synchronization

/// Ctrl-C and SIGTERM. They are blocked in all threads but one, which waits for them: so none is
/// lost, and none runs code in the middle of something else.
enum Interruption {
    private static let cancellation = Mutex<(@Sendable () -> Void)?>(nil)

    private static var signals: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        return set
    }

    /// To be called first thing, while there is one thread.
    static func prepare() {
        var signals = signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // A write to a closed pipe fails with EPIPE instead.
        signal(SIGPIPE, SIG_IGN)
        let waiter = Thread {
            var signals = Self.signals
            while true {
                var number: CInt = 0
                sigwait(&signals, &number)
                if let cancel = cancellation.withLock({ $0 }) {
                    cancel()
                } else {
                    // What a program that knows nothing of signals does.
                    signal(number, SIG_DFL)
                    var unblocked = sigset_t()
                    sigemptyset(&unblocked)
                    sigaddset(&unblocked, number)
                    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
                    raise(number)
                }
            }
        }
        waiter.start()
    }

    /// Runs `body` until it ends or a signal comes, which cancels it: that is a normal end.
    static func ends(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await body() }
        cancellation.withLock { $0 = { task.cancel() } }
        defer { cancellation.withLock { $0 = nil } }
        do {
            try await task.value
        } catch is CancellationError {
        }
    }
}

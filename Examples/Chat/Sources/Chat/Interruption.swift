import Foundation
import Synchronization

/// Ctrl-C and SIGTERM. They are blocked in all threads, and the main one waits for them: so none is
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

    /// Blocks the signals in this thread and in all that it starts; to be called before any other
    /// thread exists.
    static func block() {
        var signals = signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // A write to a closed pipe fails with EPIPE instead.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for signals for ever. It has to be the main thread: an asynchronous `main` would leave
    /// that to the dispatcher, which takes all signals there.
    static func wait() -> Never {
        var signals = signals
        while true {
            var number: CInt = 0
            sigwait(&signals, &number)
            if let cancel = cancellation.withLock({ $0 }) {
                cancel()
            } else {
                // What a program that knows nothing of signals does.
                signal(number, SIG_DFL)
                raise(number)
                pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            }
        }
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

import Foundation
import Synchronization

/// Handling of Ctrl-C and SIGTERM. The signals are blocked in all threads and the main thread waits
/// for them, so that none is lost and no handler interrupts other code.
enum Interruption {
    private static let cancellation = Mutex<(@Sendable () -> Void)?>(nil)

    private static var signals: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        return set
    }

    /// Blocks the signals in this thread and in all threads that it starts. Must be called before
    /// any other thread exists.
    static func block() {
        var signals = signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // A write to a closed pipe fails with EPIPE instead.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for signals forever. Must be called on the main thread: an asynchronous `main` would
    /// leave it to the dispatcher, which receives all signals there.
    static func wait() -> Never {
        var signals = signals
        while true {
            var number: CInt = 0
            sigwait(&signals, &number)
            if let cancel = cancellation.withLock({ $0 }) {
                cancel()
            } else {
                // The default behavior of a program without signal handling.
                signal(number, SIG_DFL)
                raise(number)
                pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            }
        }
    }

    /// Runs `body` until it ends or a signal cancels it, which counts as a normal end.
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

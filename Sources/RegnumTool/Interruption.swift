import ArgumentParser
import Glibc
import Synchronization

/// The number of the signal that has interrupted the tool; 0 if there was none.
private let interruption = Atomic<Int32>(0)

/// Runs an operation that the signals SIGINT, SIGTERM and SIGHUP cancel, so that it removes the
/// files that it has begun. Throws the exit code that a shell reports for such a signal. A second
/// signal ends the process at once.
func interruptible<Result: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    _ = interruption.load(ordering: .relaxed)  // not for the first time in a signal handler
    for number in [SIGINT, SIGTERM, SIGHUP] {
        let previous = signal(number) { number in
            let isSecond = interruption.exchange(number, ordering: .relaxed) != 0
            if isSecond { _exit(128 + number) }
        }
        // as after nohup
        if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
            signal(number, SIG_IGN)
        }
    }
    let task = Task { try await operation() }
    let watch = Task {
        while interruption.load(ordering: .relaxed) == 0 {
            try await Task.sleep(for: .milliseconds(5))
        }
        task.cancel()
    }
    defer { watch.cancel() }
    do {
        return try await task.value
    } catch is CancellationError {
        throw ExitCode(128 + interruption.load(ordering: .relaxed))
    }
}

import Synchronization

/// A clock whose time passes only when a test says so.
package final class ManualClock: Clock {
    package struct Instant: InstantProtocol {
        package var offset: Duration

        package func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID = 0
        var sleepers: [Int: Sleeper] = [:]
        /// The number of sleeps so far.
        var sleepCount = 0
        var watchers: [Watcher] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .zero }

    /// The number of tasks that are asleep.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let sleeper = Sleeper(deadline: deadline, continuation: continuation)
                begin(id, sleeper, isCancelled: Task.isCancelled)
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func begin(_ id: Int, _ sleeper: Sleeper, isCancelled: Bool) {
        let (isAsleep, watchers) = state.withLock { state -> (Bool, [Watcher]) in
            // again within the lock, because the handler may have run in between
            if isCancelled || Task.isCancelled || sleeper.deadline <= state.now {
                return (false, [])
            }
            state.sleepers[id] = sleeper
            state.sleepCount += 1
            let count = state.sleepCount
            let due = state.watchers.filter { $0.count <= count }
            state.watchers.removeAll { $0.count <= count }
            return (true, due)
        }
        for watcher in watchers { watcher.continuation.resume() }
        if isAsleep { return }
        if Task.isCancelled {
            sleeper.continuation.resume(throwing: CancellationError())
        } else {
            sleeper.continuation.resume()
        }
    }

    /// Waits until tasks have fallen asleep this many times since the clock was made.
    package func sleeps(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.sleepCount >= count { return true }
                state.watchers.append(Watcher(count: count, continuation: continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    /// Lets time pass and wakes those whose time has come.
    package func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }
}

public import FoundationEssentials
internal import RegnumStore
public import RegnumWorkers

/// A clock whose time passes only when a test advances it.
///
///     let clock = ManualClock()
///     var options = JobOptions()
///     options.time = clock.time
///     …
///     try await clock.advance(by: .seconds(10)) { realm.objects(Mail.self).isEmpty }
///
/// Anything that takes a `Clock` can use it, such as `next(within:clock:)` of a stream.
public final class ManualClock: Clock {
    /// A point in time of a ``ManualClock``.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public var offset: Duration

        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let count: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID = 0
        var sleepers: [Int: Sleeper] = [:]
        /// The number of sleeps so far.
        var sleepCount = 0
        var watchers: [Int: Watcher] = [:]

        mutating func newID() -> Int {
            nextID += 1
            return nextID
        }
    }

    private let state = Guarded(State())
    private let start: Date

    /// Creates a clock.
    ///
    /// - Parameter date: The date at the start, by default in September 2001.
    public init(date: Date = Date(timeIntervalSince1970: 1_000_000_000)) { start = date }

    public var now: Instant { state.withLock { $0.now } }
    public var minimumResolution: Duration { .zero }

    /// The date, which advances with the clock.
    public var date: Date {
        let (seconds, attoseconds) = now.offset.components
        return start.addingTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
    }

    /// The clock as a ``WorkerTime``, for the options of job queues, consumers and expiring
    /// objects.
    public var time: WorkerTime { WorkerTime(clock: self) { self.date } }

    /// The number of tasks that are asleep.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { $0.newID() }
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
            let due = state.watchers.filter { $0.value.count <= count }
            for id in due.keys { state.watchers[id] = nil }
            return (true, Array(due.values))
        }
        for watcher in watchers { watcher.continuation.resume() }
        if isAsleep { return }
        if Task.isCancelled {
            sleeper.continuation.resume(throwing: CancellationError())
        } else {
            sleeper.continuation.resume()
        }
    }

    /// Waits until tasks have fallen asleep this many times since the clock was created. A sleep
    /// whose deadline has already passed doesn't count.
    ///
    /// - Throws: `CancellationError`.
    public func sleeps(_ count: Int) async throws {
        let id = state.withLock { $0.newID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isWaiting = state.withLock { state in
                    if Task.isCancelled || state.sleepCount >= count { return false }
                    state.watchers[id] = Watcher(count: count, continuation: continuation)
                    return true
                }
                if isWaiting { return }
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    continuation.resume()
                }
            }
        } onCancel: {
            let watcher = state.withLock { $0.watchers.removeValue(forKey: id) }
            watcher?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances the clock, and wakes the tasks whose deadlines have passed, in the order of the
    /// deadlines. Doesn't wait for them to run.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
                .map(\.value.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Advances the clock in steps until a condition holds. Between the steps, other tasks have a
    /// millisecond of real time to run, in which they can reach their next sleep.
    ///
    /// - Throws: `CancellationError`, and the errors of the condition.
    public func advance(
        by step: Duration, until isReached: () async throws -> Bool
    ) async throws {
        while !(try await isReached()) {
            advance(by: step)
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

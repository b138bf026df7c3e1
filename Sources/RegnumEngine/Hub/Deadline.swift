/// A point in the time of a clock.
package struct Deadline: Sendable {
    /// Waits for that time, and throws if the task is cancelled.
    private let sleep: @Sendable () async throws -> Void
    private let isPast: @Sendable () -> Bool

    /// About 136 years; can be added to the time of any clock without overflow.
    package static let maximumDuration = Duration.seconds(1 << 32)

    /// Creates a deadline relative to the clock's current time, at most about 136 years ahead.
    package init(in duration: Duration, of clock: any Clock<Duration>) {
        self.init(in: min(max(duration, .zero), Deadline.maximumDuration), clock)
    }

    private init<C: Clock<Duration>>(in duration: Duration, _ clock: C) {
        let instant = clock.now.advanced(by: duration)
        sleep = { try await clock.sleep(until: instant, tolerance: nil) }
        isPast = { clock.now >= instant }
    }

    package var hasPassed: Bool { isPast() }

    /// Waits for that time. Returns false if the task is cancelled before.
    func isReached() async -> Bool {
        do {
            try await sleep()
            return !Task.isCancelled
        } catch {
            return false
        }
    }
}

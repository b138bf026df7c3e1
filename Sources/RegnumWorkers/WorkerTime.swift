public import FoundationEssentials

/// The clocks used by consumers, job queues and expiring objects. Tests can replace them.
///
///     var options = JobOptions()
///     options.time = ManualClock().time    // of the product RegnumTesting
public struct WorkerTime: Sendable {
    /// The clock for waiting until a job is due, an object expires, an attempt is retried or a
    /// lease has to be renewed.
    public var clock: any Clock<Duration>
    /// A closure that returns the current date. Dates are stored in the realm and compared by all
    /// processes.
    public var now: @Sendable () -> Date

    /// The clocks of the system.
    public static let system = WorkerTime(clock: ContinuousClock()) { Date() }

    /// Creates a pair of clocks, one for waiting and one for dates.
    public init(clock: any Clock<Duration>, now: @escaping @Sendable () -> Date) {
        self.clock = clock
        self.now = now
    }
}

extension WorkerTime {
    /// The time after which the clock is read again, in case it was set.
    static var maximumWait: Duration { .seconds(60) }

    /// Returns the time after a date until a condition holds, to the millisecond, or `limit` if it
    /// doesn't hold before. Once it holds, it does so for all later dates.
    ///
    /// - Complexity: O(log `limit`) evaluations of the condition: 17 for a minute.
    static func time(
        after now: Date, limit: Duration, until holds: (Date) -> Bool
    ) -> Duration {
        if !holds(now + limit) { return limit }
        var (low, high) = (0, max(Int(limit.inSeconds * 1_000), 1))
        while low + 1 < high {
            let middle = low + (high - low) / 2
            if holds(now + .milliseconds(middle)) { high = middle } else { low = middle }
        }
        return .milliseconds(high)
    }
}

extension Duration {
    /// About 136 years: the longest wait. Longer ones could overflow the time of a clock.
    static let longestWait = Duration.seconds(1 << 32)

    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}

extension Date {
    static func + (date: Date, duration: Duration) -> Date {
        date.addingTimeInterval(duration.inSeconds)
    }

    /// Returns the first date for which a condition holds, by bisection. It holds for `end` and,
    /// once it does, for all later dates.
    ///
    /// - Complexity: 64 evaluations of the condition.
    static func first(until end: Date, where holds: (Date) -> Bool) -> Date {
        var low = Date(timeIntervalSinceReferenceDate: -.infinity).rank
        var high = end.rank
        while low < high {
            let middle = low + (high - low) / 2
            if holds(Date(rank: middle)) { high = middle } else { low = middle + 1 }
        }
        return Date(rank: low)
    }

    /// A number that orders like the date, which is a number.
    private var rank: UInt64 {
        let seconds = timeIntervalSinceReferenceDate
        // -0.0 as 0.0
        let bits = seconds == 0 ? 0 : seconds.bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    }

    private init(rank: UInt64) {
        let bits = rank >> 63 == 1 ? rank & ~(1 << 63) : ~rank
        self.init(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
    }
}

public import FoundationEssentials

/// The clocks of consumers and job queues. Tests replace them.
///
///     var options = JobOptions()
///     options.time = WorkerTime(clock: manualClock) { manualClock.date }
public struct WorkerTime: Sendable {
    /// The clock for waiting: until a job is due, until a retry, until a lease has to be renewed.
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
}

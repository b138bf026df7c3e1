/// The number of attempts at a job or a change, and the delays between them.
///
/// The delay grows by a factor after each attempt, up to a maximum, and is then varied at random,
/// so that attempts that failed together aren't repeated at the same moment.
///
///     RetryPolicy(attempts: 5, delay: .seconds(2))     // after 2, 4, 8 and 16 seconds, ±20%
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of attempts, including the first one; at least 1.
    public var attempts: Int
    /// The delay after the first attempt.
    public var delay: Duration
    /// The factor by which the delay grows with each further attempt; at least 1.
    public var factor: Double
    /// The maximum delay, before it is varied.
    public var maximumDelay: Duration
    /// The fraction by which a delay is varied, from 0 to 1: with 0.2, it is multiplied by a random
    /// number between 0.8 and 1.2.
    public var jitter: Double

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, at least 1.
    ///   - delay: The delay after the first attempt.
    ///   - factor: The factor by which the delay grows, at least 1.
    ///   - maximumDelay: The maximum delay, by default an hour.
    ///   - jitter: The fraction by which a delay is varied, from 0 to 1.
    public init(
        attempts: Int = 10, delay: Duration = .seconds(1), factor: Double = 2,
        maximumDelay: Duration = .seconds(3_600), jitter: Double = 0.2
    ) {
        self.attempts = attempts
        self.delay = delay
        self.factor = factor
        self.maximumDelay = maximumDelay
        self.jitter = jitter
    }

    /// Returns the delay after a failed attempt.
    ///
    /// - Parameter attempt: The number of the attempt that failed, starting at 1.
    /// - Precondition: The settings are valid. Queues and consumers throw `.invalidInput` for
    ///   invalid ones when they are started.
    public func delay(
        afterAttempt attempt: Int, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        if let problem { fatalError(problem) }
        let maximum = min(maximumDelay, .longestWait).inSeconds
        var seconds = min(delay, .longestWait).inSeconds
        for _ in 1..<max(attempt, 1) {
            // a delay of zero, or a factor of 1, never reaches the maximum
            if seconds >= maximum || seconds == 0 || factor == 1 { break }
            seconds *= factor
        }
        let variation = Double.random(in: 1 - jitter...1 + jitter, using: &generator)
        return .seconds(min(seconds, maximum) * variation)
    }

    /// Returns the delay after a failed attempt, varied by the system's random number generator.
    func delay(afterAttempt attempt: Int) -> Duration {
        var generator = SystemRandomNumberGenerator()
        return delay(afterAttempt: attempt, using: &generator)
    }

    /// The delays before a write that failed with a transient error is repeated.
    static let writes = RetryPolicy(attempts: .max, maximumDelay: .seconds(30))
    /// The delays before an expired object is removed whose removal has failed.
    static let removals = RetryPolicy(attempts: .max)

    /// The problem with the settings, or `nil`.
    var problem: String? {
        if attempts < 1 { return "RetryPolicy.attempts is \(attempts); the minimum is 1." }
        if delay < .zero || maximumDelay < .zero {
            return "RetryPolicy.delay and maximumDelay can't be negative: they are \(delay) and "
                + "\(maximumDelay)."
        }
        if !(factor >= 1) || !factor.isFinite {
            return "RetryPolicy.factor is \(factor); the minimum is 1."
        }
        if !(0...1).contains(jitter) {
            return "RetryPolicy.jitter is \(jitter); it must be between 0 and 1."
        }
        return nil
    }
}

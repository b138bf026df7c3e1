import RegnumSimulation

/// The plain oracle: the commits that must, may and can't exist.
struct Expectation: Sendable {
    /// Every commit that was attempted and hasn't been found lost; the version is the position + 1.
    var bodies: [[UInt8]] = []
    /// The number of commits that must survive a power failure.
    var durableCount = 0
    /// The number of commits that must survive the death of all processes.
    var visibleCount = 0

    /// Records that the log was found to contain exactly these commits, and reported them as
    /// durable.
    mutating func settle(on count: Int) {
        bodies.removeLast(bodies.count - count)
        durableCount = count
        visibleCount = count
    }

    /// Returns what is wrong with the commits that were found, or `nil`.
    func objection(to found: [[UInt8]], afterPowerCut: Bool) -> String? {
        let least = afterPowerCut ? durableCount : max(durableCount, visibleCount)
        if found.count < least {
            return "\(found.count) commits found, expected at least \(least)"
        }
        if found.count > bodies.count {
            return "\(found.count) commits found, of \(bodies.count) attempted"
        }
        for (index, body) in found.enumerated() where body != bodies[index] {
            return "commit \(index + 1) has different content"
        }
        return nil
    }
}

import RegnumSimulation

/// The plain oracle: which commits there must be, may be, and cannot be.
struct Expectation: Sendable {
    /// Every commit that was attempted and not yet found lost; the version is the position + 1.
    var bodies: [[UInt8]] = []
    /// So many commits must survive a power cut.
    var durableCount = 0
    /// So many commits must survive the death of all processes.
    var visibleCount = 0

    /// The log was found to hold exactly these commits, and told that they are durable.
    mutating func settle(on count: Int) {
        bodies.removeLast(bodies.count - count)
        durableCount = count
        visibleCount = count
    }

    /// What is wrong with the commits that were found, or nil.
    func objection(to found: [[UInt8]], afterPowerCut: Bool) -> String? {
        let least = afterPowerCut ? durableCount : max(durableCount, visibleCount)
        if found.count < least {
            return "\(found.count) commits found, of which \(least) must be there"
        }
        if found.count > bodies.count {
            return "\(found.count) commits found, of \(bodies.count) attempted"
        }
        for (index, body) in found.enumerated() where body != bodies[index] {
            return "commit \(index + 1) has other content"
        }
        return nil
    }
}

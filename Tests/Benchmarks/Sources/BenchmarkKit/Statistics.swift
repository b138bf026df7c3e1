/// Order statistics of small samples.
public enum Statistics {
    /// Returns the smallest value that at least `fraction` of the sample don't exceed (nearest
    /// rank).
    ///
    /// - Precondition: The sample isn't empty, and `fraction` is in `0...1`.
    /// - Complexity: O(n log n).
    public static func percentile(_ sample: [Double], _ fraction: Double) -> Double {
        precondition(!sample.isEmpty, "an empty sample has no percentile")
        precondition((0...1).contains(fraction), "a fraction is between 0 and 1")
        let sorted = sample.sorted()
        let rank = Int((fraction * Double(sorted.count)).rounded(.up))
        return sorted[max(rank, 1) - 1]
    }

    /// Returns the middle value, or the mean of the two in the middle.
    ///
    /// - Precondition: The sample isn't empty.
    /// - Complexity: O(n log n).
    public static func median(_ sample: [Double]) -> Double {
        precondition(!sample.isEmpty, "an empty sample has no median")
        let sorted = sample.sorted()
        let middle = sorted.count / 2
        if sorted.count.isMultiple(of: 2) { return (sorted[middle - 1] + sorted[middle]) / 2 }
        return sorted[middle]
    }

    /// Returns the median of the ratios of values measured in the same round, in which noise
    /// affects both sides. `nil` if there is no common round, or if a peer's value is 0.
    public static func medianRatio(_ values: [Double], to peers: [Double]) -> Double? {
        let pairs = zip(values, peers)
        guard !values.isEmpty, !peers.isEmpty, !pairs.contains(where: { $0.1 == 0 }) else {
            return nil
        }
        return median(pairs.map { $0 / $1 })
    }
}

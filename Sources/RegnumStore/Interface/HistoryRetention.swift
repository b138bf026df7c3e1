/// The part of a log that is kept beyond what opening the realm needs, so that past versions can be
/// rebuilt. A commit is retained if it is both younger than `ageNanoseconds` and within the last
/// `byteCount` bytes of the log. `nil` means unlimited.
package struct HistoryRetention: Sendable, Hashable {
    /// The maximum age of a commit, by the wall clocks of its writer and of the trimming process.
    package var ageNanoseconds: UInt64?
    /// The number of log bytes to keep, counted back from its end.
    package var byteCount: UInt64?
    /// The maximum size of nodes files that are kept only for past versions. Commits whose content
    /// would need more aren't kept.
    package var nodesByteCount: UInt64?

    /// Nothing is kept beyond what opening needs.
    package static let none = HistoryRetention(ageNanoseconds: 0, byteCount: 0)
    /// Everything is kept.
    package static let unlimited = HistoryRetention(ageNanoseconds: nil, byteCount: nil)

    package init(
        ageNanoseconds: UInt64?, byteCount: UInt64?, nodesByteCount: UInt64? = nil
    ) {
        self.ageNanoseconds = ageNanoseconds
        self.byteCount = byteCount
        self.nodesByteCount = nodesByteCount
    }

    /// Whether no commit can be retained.
    var isNone: Bool { ageNanoseconds == 0 || byteCount == 0 }

    /// Returns whether everything before a position has expired.
    ///
    /// - Parameters:
    ///   - time: the time of the first commit after the position, in microseconds since 1970; `nil`
    ///     if unknown.
    ///   - end: the end of the log.
    func hasExpired(
        before position: LogPosition, _ time: Int64?, end: LogPosition, now: Int64
    ) -> Bool {
        if let byteCount, end >= position, end - position >= byteCount { return true }
        guard let ageNanoseconds, let time else { return false }
        let (age, overflows) = now.subtractingReportingOverflow(time)
        return !overflows && age > 0 && UInt64(age) > ageNanoseconds / 1000
    }
}

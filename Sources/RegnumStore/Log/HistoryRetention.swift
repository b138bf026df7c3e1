/// How much of a log is kept beyond what opening the realm needs, so that versions of the past can
/// be built again. A commit is within it if it is both younger than `ageNanoseconds` and among the
/// newest `byteCount` bytes of the log; nil: that limit is none.
package struct HistoryRetention: Sendable, Hashable {
    /// The time since a commit, by the wall clocks of its writer and of who trims.
    package var ageNanoseconds: UInt64?
    /// Bytes of the log, counted back from its end.
    package var byteCount: UInt64?
    /// Bytes of nodes files that are kept for the past alone. Commits whose content would need more
    /// are not kept.
    package var nodesByteCount: UInt64?

    /// Nothing is kept for its own sake.
    package static let none = HistoryRetention(ageNanoseconds: 0, byteCount: 0)

    package init(
        ageNanoseconds: UInt64?, byteCount: UInt64?, nodesByteCount: UInt64? = nil
    ) {
        self.ageNanoseconds = ageNanoseconds
        self.byteCount = byteCount
        self.nodesByteCount = nodesByteCount
    }

    /// Whether no commit can be within it.
    var isNone: Bool { ageNanoseconds == 0 || byteCount == 0 }

    /// Whether what lies before a position is beyond it.
    ///
    /// - Parameters:
    ///   - time: of the first commit behind the position, in microseconds since 1970; nil if that is
    ///     not known.
    ///   - end: of the log.
    func hasExpired(
        before position: LogPosition, _ time: Int64?, end: LogPosition, now: Int64
    ) -> Bool {
        if let byteCount, end >= position, end - position >= byteCount { return true }
        guard let ageNanoseconds, let time else { return false }
        let (age, overflows) = now.subtractingReportingOverflow(time)
        return !overflows && age > 0 && UInt64(age) > ageNanoseconds / 1000
    }
}

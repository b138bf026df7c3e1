/// The way a stream handles commits that arrive while its consumer is busy. With any policy, no
/// writer waits for a consumer, and nothing is kept without a bound.
public enum ChangePolicy: Sendable, Hashable {
    /// Merges them into one exact change set. The memory kept for the stream grows with the number
    /// of changed objects, not with the number of commits.
    case coalesce
    /// Delivers each commit that changes the stream's content as a separate element. Commits that
    /// are no longer in memory are read from the log; if the log doesn't go back far enough, the
    /// stream throws `.historyTrimmed`.
    case everyCommit
    /// Keeps nothing, and computes the change set by comparing the two versions. An object whose
    /// properties were only set to the same values counts as modified, but no properties are named.
    case newest
}

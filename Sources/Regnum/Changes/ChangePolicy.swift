/// The way a stream handles commits that arrive while its consumer is busy. Under every policy,
/// writers never wait for consumers, and the memory kept for a stream is bounded.
public enum ChangePolicy: Sendable, Hashable {
    /// Merges those commits into one exact change set. Memory use grows with the number of changed
    /// objects, not with the number of commits.
    case coalesce
    /// Delivers each commit that changes the stream's content as a separate element. Commits that
    /// are no longer in memory are read from the log; if the log doesn't go back far enough, the
    /// stream throws `.historyTrimmed`.
    case everyCommit
    /// Keeps no commits, and computes the change set by comparing the two versions. An object whose
    /// properties were only set to the values they already had counts as modified, but its list of
    /// changed properties is empty.
    case newest
}

/// What a stream does with the commits that come while its consumer is busy. No writer waits for a
/// consumer, whatever the policy, and nothing is kept without a bound.
public enum ChangePolicy: Sendable, Hashable {
    /// They are merged into one exact change set. What is kept for the stream grows with the objects
    /// that changed, not with the commits.
    case coalesce
    /// Each commit that changes something for the stream is an element. What the realm no longer
    /// keeps in memory is read from the log; where that does not go back so far, the stream throws
    /// `.historyTrimmed`.
    case everyCommit
    /// Nothing is kept: the change set comes from a comparison of the two versions. An object that was
    /// only set to values that it had counts as modified, but no property is named.
    case newest
}

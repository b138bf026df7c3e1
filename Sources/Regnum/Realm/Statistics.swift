internal import RegnumEngine

extension Realm {
    /// Counters of a realm in this process, since it was opened here.
    public struct Statistics: Sendable, Hashable {
        /// The newest published version.
        public let version: UInt64
        /// Commits made by this process.
        public let commits: UInt64
        /// Batches of commits written: one system call each.
        public let batches: UInt64
        /// Disk syncs for commits.
        public let syncs: UInt64
        /// Bytes of commit records written.
        public let writtenByteCount: UInt64
        /// Commits of other processes that were taken over.
        public let externalCommits: UInt64
        /// Streams that exist now.
        public let streams: Int
        /// Summaries of commits that are kept for them now.
        public let keptSummaries: Int
    }

    /// The counters now. Never waits.
    public nonisolated func stats() -> Statistics {
        let counters = core.coordinator.statistics
        return Statistics(
            version: core.coordinator.published.version, commits: counters.commits,
            batches: counters.batches, syncs: counters.syncs,
            writtenByteCount: counters.appendedByteCount,
            externalCommits: counters.followedCommits, streams: counters.subscriptions,
            keptSummaries: counters.keptSummaries)
    }

    /// The commits of the realm, by any process, one element each.
    public nonisolated var commits: CommitSequence { CommitSequence(core) }
}

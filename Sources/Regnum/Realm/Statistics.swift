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
        /// Bytes that the kept summaries take.
        public let keptSummaryByteCount: Int
        /// Rows on which the queries of streams were evaluated: at the first element of a stream, and
        /// when it goes on from one version to another.
        public let evaluatedRows: Int
        /// Rows that were looked at to find the objects that reach a changed one through links.
        public let reachedRows: Int
        /// Streams that commits have woken.
        public let streamWakes: Int
        /// Results of queries that were brought from one version to another: once for all streams
        /// that share them.
        public let streamSteps: Int
        /// The number of those steps in which a result was copied, as far as it changed, because
        /// somebody else still held it: another stream, or a consumer that keeps the collections it
        /// was given. The others edit it in place. Lists in their own order have none.
        public let copiedResults: Int
        /// Rows on which the conditions of queries in snapshots and transactions were evaluated, through this
        /// `Realm`. A condition that an index answers, and one of a whole block of rows, evaluates none.
        public let queriedRows: Int
        /// Objects and values that those queries have listed. All objects of a class, and a whole list, are
        /// not listed but read where they are asked for.
        public let foundRows: Int
        /// Bytes of the realm's content in memory of this process: what was not read from, or was
        /// changed since, the nodes file, in all versions that are held.
        public let heapByteCount: Int
        /// The snapshots that are held now, by snapshots, frozen values and streams, the oldest
        /// version first.
        public let snapshots: [HeldSnapshot]
    }

    /// A snapshot that somebody holds.
    public struct HeldSnapshot: Sendable, Hashable {
        /// The version that it shows.
        public let version: UInt64
        /// Where it was taken: module, file and line.
        public let place: String
        /// Bytes that would be freed if this snapshot and all older ones went: what it shows and
        /// no newer version does.
        public let heldByteCount: Int
    }

    /// The counters now. Never waits.
    public nonisolated func stats() -> Statistics {
        let counters = core.coordinator.statistics
        let work = core.coordinator.streamCounters
        return Statistics(
            version: core.coordinator.published.version, commits: counters.commits,
            batches: counters.batches, syncs: counters.syncs,
            writtenByteCount: counters.appendedByteCount,
            externalCommits: counters.followedCommits, streams: counters.subscriptions,
            keptSummaries: counters.keptSummaries,
            keptSummaryByteCount: counters.keptSummaryByteCount,
            evaluatedRows: work.rowsEvaluated.value, reachedRows: work.rowsReached.value,
            streamWakes: work.signals.value, streamSteps: work.steps.value,
            copiedResults: work.resultsCopied.value,
            queriedRows: core.queryCounters.rowsEvaluated.value,
            foundRows: core.queryCounters.keysFound.value,
            heapByteCount: core.coordinator.published.heapByteCount,
            snapshots: core.snapshots.all.map { snapshot in
                HeldSnapshot(
                    version: snapshot.root.version, place: "\(snapshot.place)",
                    heldByteCount: snapshot.root.heldByteCount)
            })
    }

    /// The commits of the realm, by any process, one element each.
    public nonisolated var commits: CommitSequence { CommitSequence(core) }

    /// The commits of the realm after that of a cursor.
    public nonisolated func commits(since cursor: ChangeCursor) -> CommitSequence {
        CommitSequence(core, since: cursor)
    }
}

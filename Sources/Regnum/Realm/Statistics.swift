public import FoundationEssentials
package import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Statistics of a realm in this process, collected since the process opened it.
    public struct Statistics: Sendable, Hashable {
        /// The newest published version.
        public let version: UInt64
        /// The number of commits made by this process.
        public let commits: UInt64
        /// The number of batches of commits written, with one system call each.
        public let batches: UInt64
        /// The number of disk syncs made for commits.
        public let syncs: UInt64
        /// The number of bytes of commit records written.
        public let writtenByteCount: UInt64
        /// The number of commits of other processes that were applied.
        public let externalCommits: UInt64
        /// The number of checkpoints written by this process.
        public let checkpoints: UInt64
        /// The number of these checkpoints that ``Realm/compact()`` or
        /// ``Configuration/shouldCompactOnLaunch`` requested.
        public let compactions: UInt64
        /// The number of streams that currently exist.
        public let streams: Int
        /// The number of commits from the oldest one that a stream still has to process through the
        /// newest one; 0 if no stream is behind. Commits that don't concern a stream don't hold it
        /// up.
        public let streamLag: UInt64
        /// The number of commit summaries that are currently kept for streams.
        public let keptSummaries: Int
        /// The number of bytes used by the kept summaries.
        public let keptSummaryByteCount: Int
        /// The number of rows on which the queries of streams were evaluated: for a stream's first
        /// element, and when it advances from one version to another.
        public let evaluatedRows: Int
        /// The number of rows visited to find the objects that reach a changed row through links.
        public let reachedRows: Int
        /// The number of times that commits woke streams.
        public let streamWakes: Int
        /// The number of query results that were advanced from one version to another. Results that
        /// several streams share count once.
        public let streamSteps: Int
        /// The number of ``streamSteps`` that had to copy the changed parts of a result because
        /// another stream, or a consumer that keeps delivered collections, still held it. Other
        /// steps edit it in place. Lists in their own order are never copied.
        public let copiedResults: Int
        /// The number of rows on which the conditions of queries in snapshots and transactions were
        /// evaluated, through this `Realm`. Conditions that are answered by an index, or for a
        /// whole block of rows at once, don't count.
        public let queriedRows: Int
        /// The number of objects and values that those queries have collected. Queries for all
        /// objects of a class, or for a whole list, collect nothing and read on access.
        public let foundRows: Int
        /// The number of bytes of memory that the realm's content takes in this process, across all
        /// held versions: content that wasn't read from the nodes file, or has been changed since
        /// then.
        public let heapByteCount: Int
        /// The versions that are currently held by snapshots, frozen values and streams, oldest
        /// version first.
        public let snapshots: [HeldSnapshot]
        /// The results of the background scrub; `nil` if ``Configuration/scrubBytesPerSecond`` is
        /// `nil`, and for in-memory realms.
        public let scrub: Scrub?
    }

    /// The results of the background scrub since this process opened the realm.
    public struct Scrub: Sendable, Hashable {
        /// The number of completed passes.
        public let passes: UInt64
        /// The time at which the last of them ended; `nil` before the first.
        public let lastPass: Date?
        /// The time at which the realm was opened.
        package let start: Date
        /// The number of bytes that were read by all passes, including the one in progress.
        public let byteCount: UInt64
        /// The number of damaged places that the last pass found, or that the pass in progress has
        /// found so far, whichever is greater. A pass that has found 1,000 ends early, and isn't
        /// counted as completed.
        public let damageCount: Int

        init(_ statistics: ScrubStatistics) {
            func date(_ microseconds: Int64) -> Date {
                Date(timeIntervalSince1970: Double(microseconds) / 1e6)
            }
            passes = statistics.passes
            lastPass = statistics.lastPassMicroseconds.map(date)
            start = date(statistics.startMicroseconds)
            byteCount = statistics.byteCount
            damageCount = statistics.damageCount
        }
    }

    /// A snapshot that is currently held.
    public struct HeldSnapshot: Sendable, Hashable {
        /// The version that the snapshot shows.
        public let version: UInt64
        /// The call site at which the snapshot was taken: module, file and line.
        public let place: String
        /// The time since the snapshot was taken, to within a few milliseconds.
        public let age: Duration
        /// The number of bytes that would be freed if this snapshot and all older ones were
        /// released: the content that no newer version uses.
        public let heldByteCount: Int
    }

    /// Returns the current counters. Never waits.
    ///
    /// - Complexity: O(s v) for s held snapshots and v versions in memory.
    public nonisolated func stats() -> Statistics {
        let counters = core.coordinator.statistics
        let work = core.coordinator.streamCounters
        let published = core.coordinator.published
        let snapshots = core.snapshots.all
        let now = IOPool.coarseNow()
        return Statistics(
            version: published.version, commits: counters.commits,
            batches: counters.batches, syncs: counters.syncs,
            writtenByteCount: counters.appendedByteCount,
            externalCommits: counters.followedCommits, checkpoints: counters.checkpoints,
            compactions: counters.compactions, streams: counters.subscriptions,
            streamLag: counters.subscriptionLag,
            keptSummaries: counters.keptSummaries,
            keptSummaryByteCount: counters.keptSummaryByteCount,
            evaluatedRows: work.rowsEvaluated.value, reachedRows: work.rowsReached.value,
            streamWakes: work.signals.value, streamSteps: work.steps.value,
            copiedResults: work.resultsCopied.value,
            queriedRows: core.queryCounters.rowsEvaluated.value,
            foundRows: core.queryCounters.keysFound.value,
            heapByteCount: DatabaseRoot.heapByteCount(of: [published] + snapshots.map(\.root)),
            snapshots: snapshots.map { snapshot in
                HeldSnapshot(
                    version: snapshot.root.version, place: "\(snapshot.place)",
                    age: .nanoseconds(now - min(snapshot.takenAt, now)),
                    heldByteCount: snapshot.root.heldByteCount(published: published))
            }, scrub: core.coordinator.scrubStatistics.map { Scrub($0) })
    }

    /// The number of different versions that snapshots, frozen values and streams currently hold.
    /// Costs much less than `stats()`.
    package nonisolated var heldVersionCount: Int {
        Set(core.snapshots.all.map(\.root.version)).count
    }

    /// Returns the durations of commits since the last call. The first call starts the measurement.
    package nonisolated func takeTimings() -> CommitTimings { core.coordinator.takeTimings() }

    /// Ends the measurement that `takeTimings` started.
    package nonisolated func stopTimings() { core.coordinator.stopTimings() }

    /// The commits made to the realm by any process, as an asynchronous sequence with one element
    /// for each commit.
    public nonisolated var commits: CommitSequence { commits() }

    /// Returns the commits made to the realm, except those with one of the given `origin:` labels.
    ///
    /// - Parameter cursor: The position after which the commits are returned; `nil` for the newest
    ///   version published when the iteration begins.
    public nonisolated func commits(
        since cursor: ChangeCursor? = nil, excludingOrigins origins: Set<String> = []
    ) -> CommitSequence {
        CommitSequence(realm: core, cursor: cursor, excluded: Set(origins.map { StoredText($0) }))
    }
}

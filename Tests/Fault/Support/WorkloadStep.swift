/// A step of a workload of `LogDriver`.
enum WorkloadStep: String, CaseIterable, Sendable {
    /// One small durable commit.
    case commit
    /// Three commits in one batch, one of which embeds bytes of the log.
    case batch
    /// A commit of which two don't fit into the first segment.
    case large
    /// A commit that is published but not synced.
    case relaxed
    /// Sync and publish.
    case flush
    case idle
    /// A spare segment is made.
    case spare
    /// The writer hands the lock over to another process.
    case handOver
    /// The writer's process dies between two commits.
    case die
    /// The writer's process dies after writing a batch, before its sync.
    case dieUnsynced
    /// All processes die in the middle of writing a batch.
    case dieTorn
    /// A sync fails and drops the data; the writer's process closes the realm.
    case failSync
    /// Like `failSync`, with relaxed commits before it, and the page cache is dropped.
    case failRelaxed
}

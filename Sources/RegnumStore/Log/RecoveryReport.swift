/// The findings and repairs of opening a realm.
package struct RecoveryReport: Sendable, Equatable {
    /// Whether this call created the realm.
    package var isNew = false
    /// Whether the realm was opened read-only. Then nothing was repaired.
    package var isReadOnly = false
    /// Whether another process held the writer lock. Then the log was read to its published end,
    /// and its tail is left to that process.
    package var followedWriter = false
    /// Whether `LOCK` had no valid control page, so that it was rebuilt from the log.
    package var controlPageWasLost = false
    /// Whether a write or sync had failed, so that the log continues in a new segment.
    package var wasPoisoned = false
    /// Stray marks of an unfinished copy or removal, which were removed because the realm is
    /// complete.
    package var strayFiles: [String] = []
    /// The number of commits read.
    package var commitCount: UInt64 = 0
    /// The newest commit version.
    package var version: UInt64 = 0
    /// The end of the log.
    package var logEnd: LogPosition = 0
    /// The number of bytes that were valid but not known to be durable, and were rewritten and
    /// synced.
    package var adoptedByteCount: UInt64 = 0
    /// The number of discarded bytes after the last valid record. They were never acknowledged,
    /// unless the control page was lost: then damage to the last records looks the same.
    package var discardedByteCount: UInt64 = 0
    /// The versions of complete commits among the discarded bytes.
    package var discardedVersions: [UInt64] = []
    /// The checkpoint from which reading started; `nil` if the log was read from its beginning.
    package var checkpoint: CheckpointReference?
    /// Damaged checkpoints in the log. An older one and the log since then were used instead.
    package var damagedCheckpoints: [CheckpointReference] = []
    /// The log position from which acknowledged bytes are damaged. Nothing is lost, because
    /// `checkpoint` has their content.
    package var damagedPosition: LogPosition?

    package init() {}

    /// Adds the findings of a later takeover from a dead process.
    package mutating func merge(_ later: RecoveryReport) {
        wasPoisoned = wasPoisoned || later.wasPoisoned
        adoptedByteCount += later.adoptedByteCount
        discardedByteCount += later.discardedByteCount
        discardedVersions += later.discardedVersions
    }

    mutating func update(from log: RealmLog) {
        commitCount = log.deliveredCount
        version = log.version
        logEnd = log.position
    }

    mutating func update(from beginning: RealmLog.Beginning) {
        checkpoint = beginning.reference
        damagedCheckpoints = beginning.damaged
        damagedPosition = beginning.search.damagedPosition
    }
}

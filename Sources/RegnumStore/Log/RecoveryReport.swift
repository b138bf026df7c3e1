/// What opening a realm found and did.
package struct RecoveryReport: Sendable, Equatable {
    /// The realm was made by this open.
    package var isNew = false
    /// The realm was opened for reading: nothing was put right.
    package var isReadOnly = false
    /// Another process had the writer lock: the log was read to its published end, and its tail is
    /// left to that process.
    package var followedWriter = false
    /// The machine was booted since the realm was last used, or that cannot be told.
    package var isOtherBoot = false
    /// `LOCK` held no valid control page: it was rebuilt from the log.
    package var controlPageWasLost = false
    /// A write or sync had failed: the log goes on in a new segment.
    package var wasPoisoned = false
    /// Files that said that the realm was being made or removed, though it is whole: removed.
    package var strayFiles: [String] = []
    /// Commits read.
    package var commitCount: UInt64 = 0
    /// The newest commit version.
    package var version: UInt64 = 0
    /// Where the log ends.
    package var logEnd: LogPosition = 0
    /// Bytes that were valid but not known to be durable: written again and synced.
    package var adoptedByteCount: UInt64 = 0
    /// Bytes behind the last valid record, never acknowledged, that were discarded.
    package var discardedByteCount: UInt64 = 0
    /// The versions of whole commits among the discarded bytes.
    package var discardedVersions: [UInt64] = []
    /// The checkpoint that reading began behind, nil if the log was read from its beginning.
    package var checkpoint: CheckpointReference?
    /// Checkpoints that the log names and that are damaged: an older one served, with the log since
    /// then.
    package var damagedCheckpoints: [CheckpointReference] = []
    /// Acknowledged bytes of the log are damaged from this position on; `checkpoint` holds what they
    /// said, so nothing is lost.
    package var damagedPosition: LogPosition?

    package init() {}

    /// Adds what a process that went on after a dead one has found.
    package mutating func merge(_ later: RecoveryReport) {
        wasPoisoned = wasPoisoned || later.wasPoisoned
        adoptedByteCount += later.adoptedByteCount
        discardedByteCount += later.discardedByteCount
        discardedVersions += later.discardedVersions
    }

    mutating func tell(of beginning: RealmLog.Beginning) {
        checkpoint = beginning.reference
        damagedCheckpoints = beginning.damaged
        damagedPosition = beginning.search.damagedPosition
    }
}

internal import RegnumStore

/// The inputs of a checkpoint.
struct CheckpointPlan {
    /// The log end; file and image are filled in later.
    var point: CheckpointReference
    /// The newest checkpoint before it.
    var base: CheckpointReference?
    /// The older checkpoint that is kept until this one is recorded.
    var older: CheckpointReference?
    /// `RealmLog.reframeCount`
    var reframeCount: Int
    var root: DatabaseRoot
    var nodes: NodesDirectory
    var lock: any LockFile
    /// Deletions by this process since `base`.
    var deletions: Deletions
    /// Whether the directory image is written twice, for both kept checkpoints, so that neither
    /// needs anything older.
    var isTwofold = false
    /// Set for a compaction: what removes the files before it.
    var compaction: LogTrimming?
    /// Whether it goes to a new nodes file in any case.
    var isNewFileWanted: Bool

    init(
        _ point: CheckpointReference, of root: DatabaseRoot, _ deletions: Deletions,
        _ log: RealmLog
    ) {
        self.point = point
        self.root = root
        self.deletions = deletions
        base = log.newestCheckpoint
        older = log.olderCheckpoint
        reframeCount = log.reframeCount
        nodes = log.nodes
        lock = log.lock
        isNewFileWanted = log.needsNewNodesFile
    }

    /// The root's nodes file if a kept checkpoint is in it. Another process may remove any other
    /// one at any time, even after a checkpoint in it was recorded, because it may have found out
    /// before that the file isn't needed. `nil` also if it is older than that of the newest
    /// checkpoint: if the next one were in it, other processes would remove the newer file, and its
    /// number would be used again while it is in use.
    var ownFile: UInt64? {
        guard let file = root.nodesFileNumber, file >= base?.file ?? 0 else { return nil }
        return file == base?.file || file == older?.file ? file : nil
    }

    /// An estimate of the bytes that the checkpoint refers to: what is in memory, and what remains
    /// of the bytes of `base`.
    var liveByteCount: UInt64 {
        let before = min(CheckpointLoader.liveByteCount(base, nodes), 1 << 50)
        return deletions.remainder(of: before, rowCount: root.rowCount)
            + UInt64(root.content.context.store.usage.byteCount)
    }
}

/// A checkpoint whose images are durable.
struct FinishedCheckpoint {
    var reference: CheckpointReference
    /// The first directory image of a twofold checkpoint.
    var copy: CheckpointReference?
    /// The number of its file if it was created for this checkpoint.
    var newFile: UInt64?
    /// It is recorded only if this is still the newest checkpoint, ...
    var base: CheckpointReference?
    /// ... and if the log before it hasn't been framed again, which another process may have done.
    var reframeCount: Int
    /// The deletions that led to it.
    var deletions: Deletions
    /// The sizes of the files before a compaction.
    var sizesBefore: FileSizes?
}

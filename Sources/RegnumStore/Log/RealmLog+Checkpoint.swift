/// Recording checkpoints in the log. `Docs/DURABILITY.md` specifies the order of the steps.
extension RealmLog {
    /// The newest checkpoint in the log up to `position`.
    package var newestCheckpoint: CheckpointReference? { checkpoints.newest }
    /// The checkpoint before it, which is kept too.
    package var olderCheckpoint: CheckpointReference? { checkpoints.older }

    /// A reference to the log end for a checkpoint of the content at `version`; the caller fills in
    /// file and image. Valid while `reframeCount` stays the same. `nil` while the log end isn't
    /// durable, since the log could continue elsewhere after a failed sync.
    package var checkpointPoint: CheckpointReference? {
        guard durableEnd >= position, !isPoisoned else { return nil }
        return CheckpointReference(
            version: version, position: position, sequence: end.point.sequence,
            chain: end.point.chain, file: 0, offset: 0, byteCount: 0, crc: 0)
    }

    /// Whether the next checkpoint must begin a nodes file, because a damaged checkpoint is in a
    /// newer file than the newest intact one. If the next one were in the older file, other
    /// processes would remove the newer one, and its number would be used again while it is in use.
    package var needsNewNodesFile: Bool {
        let newest = checkpoints.newest?.file ?? 0
        return damagedCheckpoints.contains { $0.file > newest }
    }

    /// Acquires the lock under which one process at a time writes a checkpoint; false if another
    /// process holds it.
    ///
    /// Throws `fileMoved` if the realm is no longer where it was opened, so that none of its files
    /// is written or removed.
    package func tryLockCheckpoint() throws(StoreError) -> Bool {
        guard try lock.tryLock(.checkpoint, .exclusive) else { return false }
        do {
            try checkPlace()
        } catch {
            lock.unlock(.checkpoint)
            throw error
        }
        return true
    }

    /// Releases the checkpoint lock.
    package func unlockCheckpoint() { lock.unlock(.checkpoint) }

    /// Writes, syncs and publishes a CHECKPOINT record. The image must be durable
    /// (`NodesAppender.sync`). Opening the realm starts from this checkpoint from then on.
    ///
    /// Requires the writer lock. The checkpoint lock, under which the image was written, may have
    /// been released since, provided that `newestCheckpoint` and `reframeCount` haven't changed.
    ///
    /// Throws as `append` and `sync` do. After `outcomeUnknown` the record may or may not exist,
    /// and nothing may be removed.
    ///
    /// - Parameter copy: another directory image of the same checkpoint, which is kept instead of
    ///   the newest one so far. Everything before the checkpoint can then be removed.
    package func appendCheckpoint(
        _ reference: CheckpointReference, copy: CheckpointReference? = nil
    ) throws(StoreError) {
        precondition(reference.file > 0, "a checkpoint must be in a nodes file")
        precondition(
            reference.position >= checkpoints.newest?.position ?? 0,
            "a checkpoint must not be older than its predecessor")
        if durableEnd < position { try sync() }  // so that the record confirms everything before it
        precondition(
            reference.position <= position && reference.version <= version,
            "a checkpoint must be of a published commit")
        try write([.checkpoint(checkpoints.adding(reference, copy: copy))])
        try sync()
        end.isIdle = true
        publish(wakes: false)
    }

    /// Writes a bulk commit, which is its own checkpoint, as one record, so that a crash leaves
    /// both or neither. The image must be durable. The caller then calls `sync` and `publish`, in
    /// this order.
    ///
    /// Requires the writer lock and the checkpoint lock. Throws as `append` does.
    ///
    /// - Parameter reference: the image; version, position, sequence and chain are filled in.
    /// - Returns: the reference as written.
    package func appendBulk(
        _ body: [UInt8], version newVersion: UInt64, reference: CheckpointReference
    ) throws(StoreError) -> CheckpointReference {
        precondition(reference.file > 0, "a checkpoint must be in a nodes file")
        var reference = reference
        reference.version = newVersion
        try write([.bulk(body, checkpoints.adding(reference))])
        end.version = newVersion
        end.isIdle = false
        guard let written = checkpoints.newest else {
            preconditionFailure("a written checkpoint must be kept")
        }
        return written
    }

    /// Starts a small segment whose header has the newest checkpoint, if the current one is large
    /// or half full, so that opening reads little more than what was committed since. Call it after
    /// the checkpoint was published.
    ///
    /// After a compaction of a realm with former keys, does so in any case, so that the history can
    /// begin there: headers before may name checkpoints that are removed.
    ///
    /// Requires the writer lock. If no segment can be created, nothing happens. Throws `ioFailed`
    /// if it may or may not have been created; the instance is then poisoned, but the checkpoint is
    /// valid.
    package func beginSegmentAfterCheckpoint(isCompaction: Bool = false) throws(StoreError) {
        let first = options.firstSegmentByteCount
        let hasFormerKeys = options.key?.formerWrappings.isEmpty == false
        guard checkpoints.newest != nil, end.checkpointsEnd > segment.header.base,
            segment.byteCount > first || remainingByteCount < segment.byteCount / 2
                || isCompaction && hasFormerKeys
        else { return }
        try beginSmallSegment()
    }

    /// Starts a small segment for the record of a checkpoint and its copy, if the current one is
    /// large and nothing was committed since the checkpoint, so that all older segments can be
    /// removed. Also removes the spare, which may be large.
    ///
    /// Requires the writer lock. Throws as `beginSegmentAfterCheckpoint` does.
    package func beginSegment(forRecordOf reference: CheckpointReference) throws(StoreError) {
        try? directory.unlink(Self.spareName)
        guard reference.position == position, segment.byteCount > options.firstSegmentByteCount
        else { return }
        try beginSmallSegment()
    }

    /// Whether the current segment is encrypted with a former key of the realm.
    package var lacksNewestKey: Bool { segment.header.keyAge > 0 }

    /// Starts a small segment if the current one is encrypted with a former key. A checkpoint from
    /// then on needs nothing that is.
    ///
    /// Requires the writer lock. Throws as `rotate` does.
    package func beginSegmentWithNewestKey() throws(StoreError) {
        if lacksNewestKey { try beginSmallSegment(isRequired: true) }
    }

    private func beginSmallSegment(isRequired: Bool = false) throws(StoreError) {
        if durableEnd < position { try sync() }
        beginWriting()
        do {
            try rotate(byteCounts: [options.firstSegmentByteCount], isSmall: true)
        } catch {
            if !isPoisoned, !isRequired { return }
            throw error
        }
        publish(wakes: false)
    }

    /// Skips the newest checkpoint, if it is of that version, because a leaf that it refers to is
    /// damaged. The older checkpoint, in which the leaf is intact, becomes the newest.
    package func skipCheckpoint(of version: UInt64) {
        guard let newest = checkpoints.newest, newest.version == version, checkpoints.older != nil
        else { return }
        damagedCheckpoints.append(newest)
        end.checkpoints = checkpoints.without(damagedCheckpoints)
        publishedEnd.checkpoints = publishedEnd.checkpoints.without(damagedCheckpoints)
    }

    /// The removal of files that are no longer needed.
    package var trimming: LogTrimming {
        let isKnown = end.checkpointsEnd <= durableEnd
        var files = Set(checkpoints.all.map(\.file))
        files.formUnion(damagedCheckpoints.map(\.file))
        return LogTrimming(
            directory: directory, keepsAll: !isKnown, keepsHistory: isCopy,
            firstNeeded: checkpoints.older?.position ?? 0, neededFiles: files,
            newestFile: checkpoints.newest?.file ?? 0,
            lastSegmentNumber: segment.header.number, end: position,
            wallClockMicroseconds: fileSystem.wallClockMicroseconds(), options: options,
            retentionFile: retentionFile)
    }

    /// The same, including nodes files that killed processes left.
    ///
    /// Requires the writer lock and, until the trimming has ended, the checkpoint lock.
    package func trimmingWithOrphans() -> LogTrimming {
        var trimming = trimming
        trimming.orphans = findOrphans()
        return trimming
    }

    /// Returns the nodes files newer than the newest checkpoint's that no process has locked,
    /// including this one, whose own locks don't conflict. As no checkpoint is recorded or written
    /// at the same time, the processes that created them didn't record their checkpoints before
    /// they died, and no other process can.
    private func findOrphans() -> Set<UInt64> {
        guard damagedCheckpoints.isEmpty, let names = try? directory.names() else { return [] }
        let newest = checkpoints.newest?.file ?? 0
        var files = Set(names.compactMap(NodesHeader.parse).filter { $0 > newest })
        // After damage, the newest checkpoint may be in a lower file than the older one.
        if let older = checkpoints.older { files.remove(older.file) }
        if files.isEmpty { return [] }
        if names.contains(MigrationMark.fileName) {
            // The migration may be resumed from it, unless something was committed since.
            guard let mark = try? migrationMark.read() else { return [] }
            if mark.version == version { files.remove(mark.file) }
        }
        return files.filter { number in
            guard !nodes.isClaimed(number),
                (try? lock.tryLock(.nodesFile(number), .exclusive)) == true
            else { return false }
            lock.unlock(.nodesFile(number))
            return true
        }
    }

    /// The past versions that can be rebuilt. Can be used without owning the log.
    package var history: LogHistory {
        LogHistory(
            directory: directory, nodes: nodes, options: options, lock: lock, bootID: bootID)
    }

    /// Returns a reader of the commits after a checkpoint in the log, usable concurrently with the
    /// log's owner.
    package func replay(from reference: CheckpointReference) -> LogReplay {
        LogReplay(
            directory: directory, options: options, realmID: realmID, reference: reference,
            lastNumber: segment.header.number)
    }
}

/// Checkpoints in the log: what the process that makes one calls. `Docs/DURABILITY.md` has the order
/// of the steps.
extension RealmLog {
    /// The newest checkpoint that the log names up to what was read.
    package var newestCheckpoint: CheckpointReference? { checkpoints.newest }
    /// The one before it, which is kept too.
    package var olderCheckpoint: CheckpointReference? { checkpoints.older }

    /// The log end, as a checkpoint of the content at `version` has to name it; file and image are
    /// for the caller to fill in. nil while the log end is not durable: a failed sync could make the
    /// log go on elsewhere.
    package var checkpointPoint: CheckpointReference? {
        guard durableEnd >= position, !isPoisoned else { return nil }
        return CheckpointReference(
            version: version, position: position, sequence: nextSequence, chain: chain, file: 0,
            offset: 0, byteCount: 0, crc: 0)
    }

    /// Takes the lock that lets one process checkpoint at a time; false if another one has it.
    ///
    /// Throws `fileMoved` if the realm is no longer where it was opened: no file of it is written
    /// or removed then.
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

    /// Gives the checkpoint lock back.
    package func unlockCheckpoint() { lock.unlock(.checkpoint) }

    /// Writes a CHECKPOINT record, syncs it and publishes it. The image must be durable
    /// (`NodesAppender.sync`). From then on opening begins behind it.
    ///
    /// Requires the writer lock. The checkpoint lock, under which the image was written, may have been
    /// given back since, if `newestCheckpoint` is still what it was then.
    ///
    /// Throws as `append` and `sync` do. `outcomeUnknown` means that the record may be there or not;
    /// nothing may be removed then.
    package func appendCheckpoint(_ reference: CheckpointReference) throws(StoreError) {
        precondition(reference.file > 0, "a checkpoint is in a nodes file")
        precondition(
            reference.position >= checkpoints.newest?.position ?? 0,
            "a checkpoint is not older than the one before it")
        if durableEnd < position { try sync() }  // so that the record vouches for all before it
        precondition(
            reference.position <= position && reference.version <= version,
            "a checkpoint is of a published commit")
        try write([.checkpoint(checkpoints.adding(reference))])
        try sync()
        endsIdle = true
        publish(wakes: false)
    }

    /// Writes a commit that is a checkpoint of its own, as one record, so that a crash leaves both or
    /// none of them. The image must be durable. `sync` and `publish` are the caller's, in this order.
    ///
    /// Requires the writer lock and the checkpoint lock. Throws as `append` does.
    ///
    /// - Parameter reference: the image; version, position, sequence and chain are filled in.
    /// - Returns: the reference as it was written.
    package func appendBulk(
        _ body: [UInt8], version newVersion: UInt64, reference: CheckpointReference
    ) throws(StoreError) -> CheckpointReference {
        precondition(reference.file > 0, "a checkpoint is in a nodes file")
        var reference = reference
        reference.version = newVersion
        try write([.bulk(body, checkpoints.adding(reference))])
        version = newVersion
        endsIdle = false
        guard let written = checkpoints.newest else {
            preconditionFailure("a checkpoint that was written is kept")
        }
        return written
    }

    /// Begins a small segment whose header names the newest checkpoint, if the current one is large
    /// or half full: opening then reads what was committed since, and little more. To be called
    /// once the checkpoint is published.
    ///
    /// Requires the writer lock. Where no segment can be made nothing happens. Throws `ioFailed`
    /// where it may have been made or not; then the instance is poisoned, and the checkpoint is
    /// good nevertheless.
    package func beginSegmentAfterCheckpoint() throws(StoreError) {
        let first = options.firstSegmentByteCount
        guard checkpoints.newest != nil, checkpointsEnd > segment.header.base,
            segment.byteCount > first || remainingByteCount < segment.byteCount / 2
        else { return }
        if durableEnd < position { try sync() }
        control.isWriting = true
        lock.storeControl(&control)
        do {
            try rotate(byteCounts: [first], isSmall: true)
        } catch {
            if !isPoisoned { return }
            throw error
        }
        publish(wakes: false)
    }

    /// Passes over the newest checkpoint, if it is of this version, because content that it names
    /// was found damaged and is intact in the one before it: that one is the newest again.
    package func passOver(checkpointOf version: UInt64) {
        guard let newest = checkpoints.newest, newest.version == version, checkpoints.older != nil
        else { return }
        damagedCheckpoints.append(newest)
        checkpoints = checkpoints.without(damagedCheckpoints)
    }

    /// What removes the files that nobody needs any more.
    package var trimming: LogTrimming {
        let isKnown = checkpointsEnd <= durableEnd
        var files = Set(checkpoints.all.map(\.file))
        files.formUnion(damagedCheckpoints.map(\.file))
        return LogTrimming(
            directory: directory, keepsAll: !isKnown, firstNeeded: checkpoints.older?.position ?? 0,
            neededFiles: files, newestFile: checkpoints.newest?.file ?? 0,
            lastSegmentNumber: segment.header.number, end: position,
            wallClockMicroseconds: fileSystem.wallClockMicroseconds(), options: options,
            retentionFile: retentionFile)
    }

    /// What finds the versions of the past. May be called without owning the log.
    package var history: LogHistory {
        LogHistory(directory: directory, nodes: nodes, options: options)
    }

    /// Reads the commits behind a checkpoint that the log names, beside the log's owner.
    package func replay(from reference: CheckpointReference) -> LogReplay {
        LogReplay(
            directory: directory, options: options, realmID: realmID, reference: reference,
            lastNumber: segment.header.number)
    }
}

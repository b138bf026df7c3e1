/// Handling of failed writes and syncs.
extension RealmLog {
    func recover(fromFailedWrite error: StoreError, at start: UInt64) -> StoreError {
        // Nothing more fits into this segment if it is above the limit on file sizes.
        guard error.code == .diskFull, !error.isFileTooLarge else {
            return poison(error, .outcomeUnknown)
        }
        // Space was allocated when the segment was created, so only copy-on-write file systems get
        // here. The zeros are synced, so that a power loss can't bring the rejected bytes back.
        do throws(StoreError) {
            try zeroUnpublished(frameBuffer.count, at: start)
            try syncSegment()
        } catch {
            return poison(error, .outcomeUnknown)
        }
        endWriting()
        return StoreError(
            .diskFull, "No space is left for the log of \(path). Nothing was committed.",
            path: path, errno: error.errno)
    }

    /// Syncs the segment, to repair it. Throws `ioFailed` also if another process has counted a
    /// failed sync since the writer lock was acquired, because the pages may then be clean without
    /// being on disk.
    func syncSegment() throws(StoreError) {
        try segment.file.sync()
        if isFailedSyncKnown(nil) { throw earlierSyncFailed }
    }

    var earlierSyncFailed: StoreError {
        StoreError(.ioFailed, "An earlier sync of the log of \(path) failed.", path: path)
    }

    /// Zeroes the written part of a batch page by page from its end, so that a process killed in
    /// between leaves the beginning of the batch, as if it had been killed while writing it.
    private func zeroUnpublished(_ count: Int, at start: UInt64) throws(StoreError) {
        let written = try segment.file.read(at: start, count: count)
            .withUnsafeBytes { Bytes.countUpToLastNonZero($0) }
        let zeros = [UInt8](repeating: 0, count: 4096)
        var end = start + UInt64(written)
        while end > start {
            let page = max(start, (end - 1) & ~4095)
            try segment.file.write(zeros, count: Int(end - page), at: page)
            end = page
        }
    }

    /// Marks the control page as having nothing written after the log end, which may be in a new
    /// segment. Other processes must not continue in the one before it.
    func endWriting() {
        control.isWriting = false
        control.segmentNumber = segment.header.number
        storeControl()
    }

    func poison(_ error: StoreError, _ code: StoreError.Code) -> StoreError {
        isPoisoned = true
        end = publishedEnd  // recovery decides what follows, and it is read from there
        if holdsWriter {  // otherwise another process owns the page; `sync` counts the failure
            control.isPoisoned = true
            control.isWriting = true
            storeControl()
        }
        return StoreError(
            code,
            "Writing the log of \(path) failed. \(error.message) "
                + (code == .outcomeUnknown
                    ? "The next write, or opening the realm again, decides whether the commit "
                        + "survives." : "Nothing was committed."),
            path: path, errno: error.errno)
    }

    /// Performs a write or sync of recovery. A failure is recorded in `LOCK`, so that the next
    /// process begins a new segment: the pages may be clean without being on disk, or have lost
    /// what was visible.
    func recordingFailure(_ change: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) {
            try change()
        } catch {
            control.isPoisoned = true
            storeControl()
            throw error
        }
    }

    /// Stores the control page. A lost `LOCK` remains lost until recovery publishes the log end:
    /// before that, the page would show an empty realm.
    func storeControl() {
        if control.stores > 0 { lock.storeControl(&control) }
    }

    /// Makes a poisoned log usable again. It returns to the last published position, like another
    /// process, and becomes a writer by starting a new segment, which then decides about the bytes
    /// in doubt.
    package func revive() {
        precondition(isPoisoned && !holdsWriter, "reviving a log that isn't poisoned")
        isPoisoned = false
        durableEnd = min(durableEnd, position)
    }

    /// Repairs whatever a dead writer or a failure left after the published end. If it throws, the
    /// log position is restored, and delivered commits must be discarded.
    func recover(
        _ page: ControlPage, _ deliver: Deliver
    ) throws(StoreError) -> RecoveryReport {
        var report = RecoveryReport()
        let before = (end: end, durableEnd: durableEnd)
        isRecovering = true
        defer { isRecovering = false }
        do throws(StoreError) {
            try recoverTail(vouchedEnd: page.visibleEnd, page: page, &report, deliver)
        } catch {
            (end, durableEnd) = before
            throw error
        }
        publish(wakes: true)
        return report
    }
}

/// What a failed write or sync leaves behind.
extension RealmLog {
    func recover(fromFailedWrite error: StoreError, at start: UInt64) -> StoreError {
        guard error.code == .diskFull else { return poison(error, .outcomeUnknown) }
        // space was taken when the segment was made; only copy-on-write file systems come here
        // the zeros are synced, so that no power cut brings back what was refused
        do throws(StoreError) {
            try segment.file.write([UInt8](repeating: 0, count: frameBuffer.count), at: start)
            try segment.file.sync()
        } catch {
            return poison(error, .outcomeUnknown)
        }
        endWriting()
        return StoreError(
            .diskFull, "There is no space left for the log of \(path): nothing was committed.",
            path: path, errno: error.errno)
    }

    /// Nothing stands behind the log end (any more).
    func endWriting() {
        control.isWriting = false
        lock.storeControl(&control)
    }

    func poison(_ error: StoreError, _ code: StoreError.Code) -> StoreError {
        isPoisoned = true
        end = publishedEnd  // whoever repairs the log decides what follows; it is read from there
        if holdsWriter {  // else another process writes the page: the failure is counted
            control.isPoisoned = true
            control.isWriting = true
            lock.storeControl(&control)
        }
        return StoreError(
            code,
            "Writing the log of \(path) failed (\(error.sentence)); "
                + (code == .outcomeUnknown
                    ? "whether the commit survives is decided by the next write, or when the realm "
                        + "is opened next." : "nothing was committed."),
            path: path, errno: error.errno)
    }

    /// Has a poisoned log try again: it stands at what was published last, as another process does,
    /// and becomes a writer by beginning a new segment. What is in doubt is decided then.
    package func revive() {
        precondition(isPoisoned && !holdsWriter, "a log is revived without the writer lock")
        isPoisoned = false
        durableEnd = min(durableEnd, position)
    }

    /// Repairs what a dead writer or a failure has left behind what was published. If it throws,
    /// the log stands where it stood, and what was delivered is void.
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

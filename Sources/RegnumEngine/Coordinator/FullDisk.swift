internal import RegnumStore

/// A checkpoint for which the disk had no space. An attempt fills the disk before it fails, and so
/// takes space from others for a moment. The delay between attempts therefore grows as long as the
/// free space doesn't.
struct FullDisk {
    /// When the next attempt is made in any case.
    let backoff: Backoff
    /// The free space that wasn't enough; `nil` if unknown.
    let freeByteCount: UInt64?
    /// The deletions that the checkpoint included.
    let deletions: Deletions

    init(
        after last: FullDisk?, freeByteCount: UInt64?, _ deletions: Deletions,
        _ options: CheckpointOptions
    ) {
        let pause = 10 * options.retryNanoseconds
        backoff = Backoff(after: last?.backoff, from: pause, to: 60 * pause)
        self.freeByteCount = freeByteCount
        self.deletions = deletions
    }

    /// Returns whether the next attempt is due: its time has come, or there is notably more space.
    func isRetryDue(freeByteCount now: UInt64?) -> Bool {
        if backoff.isDue { return true }
        guard let now, let freeByteCount, now > freeByteCount else { return false }
        return now - freeByteCount > freeByteCount / 16 + (64 << 10)
    }
}

extension Coordinator {
    /// Notes that a checkpoint couldn't be written or recorded, if the reason is a full disk.
    ///
    /// - Parameters:
    ///   - freeByteCount: the space that there was for it.
    ///   - deletions: those that it included.
    func noteFullDisk(_ error: StoreError, freeByteCount: UInt64?, _ deletions: Deletions) {
        guard error.code == .diskFull else { return }
        state.withLock { state in
            state.checkpoint.fullDisk = FullDisk(
                after: state.checkpoint.fullDisk, freeByteCount: freeByteCount, deletions,
                options.checkpoint)
        }
    }

    /// Returns whether the next checkpoint waits for space on the disk. One that has become much
    /// smaller since the last attempt doesn't wait.
    func isWaitingForSpace(_ lease: borrowing LogLease) -> Bool {
        let fullDisk: FullDisk? = state.withLock { state in
            guard let last = state.checkpoint.fullDisk else { return nil }
            return state.isShrunk(options.checkpoint, since: last.deletions) ? nil : last
        }
        guard let fullDisk else { return false }
        return !fullDisk.isRetryDue(freeByteCount: lease.log.nodes.freeByteCount)
    }
}

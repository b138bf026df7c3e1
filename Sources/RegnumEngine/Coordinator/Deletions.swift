internal import RegnumStore

/// Deletions that no recorded checkpoint includes yet.
struct Deletions: Sendable {
    var rowCount = 0
    /// The bytes in the nodes file that belonged to removed values; only large values and the texts
    /// of whole clusters are counted.
    var byteCount: UInt64 = 0

    static func + (a: Deletions, b: Deletions) -> Deletions {
        Deletions(rowCount: a.rowCount + b.rowCount, byteCount: a.byteCount + b.byteCount)
    }

    static func += (a: inout Deletions, b: Deletions) { a = a + b }

    static func -= (a: inout Deletions, b: Deletions) {
        a.rowCount = max(0, a.rowCount - b.rowCount)
        a.byteCount -= min(a.byteCount, b.byteCount)
    }

    /// Returns an estimate of how many of `byteCount` bytes are still in use: no more than those
    /// that weren't freed, and no more than the share of the rows that remain.
    func remainder(of byteCount: UInt64, rowCount remaining: Int) -> UInt64 {
        let rows = Double(remaining + 1)
        let share = rows / (rows + Double(rowCount))
        return min(UInt64(Double(byteCount) * share), byteCount - min(byteCount, self.byteCount))
    }
}

extension Commit {
    /// The rows and bytes that the commit deleted.
    var deletions: Deletions {
        Deletions(
            rowCount: summary.tables.values.reduce(0) { $0 + $1.deleted.count },
            byteCount: freedFileByteCount)
    }
}

/// How much of the nodes file the newest checkpoint uses.
struct NodesUse: Sendable {
    /// The version of that checkpoint.
    var version: UInt64
    var liveByteCount: UInt64
    var fileByteCount: UInt64
    /// The least number of bytes for which rewriting the file is worthwhile.
    var slackByteCount: UInt64

    /// Whether the next checkpoint would write a new file (`NodesDirectory.appender`) because of
    /// `freedByteCount` bytes that were deleted since the newest one.
    func isMostlyFree(freedByteCount: UInt64, heapByteCount: Int) -> Bool {
        guard freedByteCount > 0, freedByteCount >= slackByteCount else { return false }
        let live = liveByteCount - min(liveByteCount, freedByteCount) + UInt64(heapByteCount)
        return fileByteCount / 2 > live && fileByteCount - 2 * live > slackByteCount
    }
}

extension CoordinatorState {
    /// Whether deletions since the newest checkpoint freed most of the nodes file, as far as its
    /// size is known (`Coordinator.measureNodes`).
    func isFileMostlyFree(after deletions: Deletions) -> Bool {
        guard let use = checkpoint.nodesUse else { return false }
        return use.isMostlyFree(
            freedByteCount: deletions.byteCount,
            heapByteCount: head.content.context.store.usage.byteCount)
    }
}

extension Coordinator {
    /// Measures how much of the nodes file is in use, once per checkpoint, if enough of it may have
    /// been freed to matter. May read from the disk.
    ///
    /// - Parameter deletions: Those that are about to be counted.
    func measureNodes(_ lease: borrowing LogLease, with deletions: Deletions = Deletions()) {
        let log = lease.log
        guard let newest = log.newestCheckpoint else { return }
        let slack = options.store.nodesSlackByteCount
        let isDue = state.withLock { state in
            state.checkpoint.deletions.byteCount + deletions.byteCount >= max(1, slack)
                && state.checkpoint.nodesUse?.version != newest.version
        }
        guard isDue, let file = try? log.nodes.file(newest.file), let size = try? file.size()
        else { return }
        let use = NodesUse(
            version: newest.version,
            liveByteCount: min(CheckpointLoader.liveByteCount(newest, log.nodes), 1 << 50),
            fileByteCount: size, slackByteCount: slack)
        state.withLock { $0.checkpoint.nodesUse = use }
    }
}

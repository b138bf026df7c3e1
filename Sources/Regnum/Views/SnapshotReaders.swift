internal import RegnumEngine
internal import RegnumStore

// The transactions in which frozen objects read their properties. Each read has one of its own; it is
// paused afterwards, which invalidates the read's accessors, and kept for the next read.

/// A transaction that is paused between two reads.
///
/// Guard of the `@unchecked Sendable`: `SnapshotCore.idleReaders`. Only the thread that took it out
/// of there uses it.
struct IdleReader: @unchecked Sendable {
    fileprivate let core: TransactionCore
}

extension SnapshotCore {
    /// The maximum number of paused transactions: more are needed only while as many threads read.
    private static let idleReaderCountMax = 4

    /// Returns a transaction on the snapshot that nobody else uses.
    ///
    /// - Complexity: O(1)
    func takeReader() -> TransactionCore {
        guard let idle = idleReaders.withLock({ $0.popLast() }) else {
            return TransactionCore(.reading(root), realm: realm, place: place)
        }
        idle.core.resume(reading: root)
        return idle.core
    }

    /// Ends a read, which invalidates its accessors.
    func leave(_ reader: TransactionCore) {
        guard reader.violation == nil else { return reader.end() }
        reader.pause()
        let idle = IdleReader(core: reader)
        let isKept = idleReaders.withLock { readers in
            guard readers.count < Self.idleReaderCountMax else { return false }
            readers.append(idle)
            return true
        }
        if !isKept { reader.end() }
    }

    /// Breaks the retain cycles of the transactions and their bindings.
    func endReaders() {
        for idle in idleReaders.withLock({ $0 }) { idle.core.end() }
    }
}

internal import RegnumEngine
internal import RegnumStore

// The transactions in which frozen objects read their properties. Each read uses one of its own,
// which is then paused, invalidating the read's accessors, and kept for the next read.

/// A transaction that is paused between two reads.
///
/// Guard of the `@unchecked Sendable`: `SnapshotCore.idleReaders`. Used only by the thread that
/// removed it from there.
struct IdleReader: @unchecked Sendable {
    fileprivate let core: TransactionCore
}

extension SnapshotCore {
    /// The maximum number of paused transactions to keep. More exist only while more threads read.
    private static let maximumIdleReaderCount = 4

    /// Returns a transaction on the snapshot for the caller's exclusive use.
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
    func end(_ reader: TransactionCore) {
        guard reader.violation == nil else { return reader.end() }
        reader.pause()
        let idle = IdleReader(core: reader)
        let isKept = idleReaders.withLock { readers in
            guard readers.count < Self.maximumIdleReaderCount else { return false }
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

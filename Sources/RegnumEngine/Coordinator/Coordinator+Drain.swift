package import RegnumStore

extension Coordinator {
    /// Acquires the right to drain a class, which one process has at a time; `nil` if another
    /// process has it. Never blocks.
    ///
    /// The kernel releases the lock when the process dies, so no liveness check is needed.
    package func tryLockDrain(className: String) throws(StoreError) -> DrainLock? {
        try checkOpen()
        let byte = LockByte.drain(className: className)
        guard let log = state.withLock({ $0.log }) else { return DrainLock(lock: nil, byte: byte) }
        return try log.lock.tryLock(byte, .exclusive) ? DrainLock(lock: log.lock, byte: byte) : nil
    }
}

/// The right to drain a class. Must be unlocked.
package struct DrainLock: Sendable {
    /// `nil` for an in-memory realm.
    fileprivate let lock: (any LockFile)?
    fileprivate let byte: LockByte

    package func unlock() { lock?.unlock(byte) }
}

extension DatabaseRoot {
    /// Returns the first rows of a class in the order of their keys, which is the order of
    /// creation.
    ///
    /// - Complexity: O(log n) for each row.
    package func firstKeys(_ table: TableKey, maximumCount: Int) -> [ObjectKey] {
        (0..<min(maximumCount, count(table))).map { key(table, at: $0) }
    }
}

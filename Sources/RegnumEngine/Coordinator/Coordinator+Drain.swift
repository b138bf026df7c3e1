package import RegnumStore

extension Coordinator {
    /// The right to deliver the objects of a class, which one process has at a time; nil if another one
    /// has it. Never blocks.
    ///
    /// The lock goes with the process: nobody has to find out whether its holder still lives.
    package func tryLockDrain(className: String) throws(StoreError) -> DrainLock? {
        try checkOpen()
        let byte = LockByte.drain(className: className)
        guard let log = state.withLock({ $0.log }) else { return DrainLock(lock: nil, byte: byte) }
        return try log.lock.tryLock(byte, .exclusive) ? DrainLock(lock: log.lock, byte: byte) : nil
    }
}

/// The right to deliver the objects of a class. To be given back.
package struct DrainLock: Sendable {
    /// Nil for a realm in memory.
    fileprivate let lock: (any LockFile)?
    fileprivate let byte: LockByte

    package func unlock() { lock?.unlock(byte) }
}

extension DatabaseRoot {
    /// The first rows of a class in order of their keys, which is that of creation.
    ///
    /// - Complexity: O(log n) for each.
    package func firstKeys(_ table: TableKey, countMax: Int) -> [ObjectKey] {
        (0..<min(countMax, count(table))).map { key(table, at: $0) }
    }
}

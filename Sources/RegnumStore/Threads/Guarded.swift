internal import Glibc

/// A value behind a lock.
///
/// A lock of the C library rather than `Synchronization.Mutex`: the thread sanitizer does not see
/// the contended path of `Mutex`, which lies in the precompiled library, and reports races where
/// there are none (`Docs/Decisions/002-locks.md`).
///
/// Guard of the `@unchecked Sendable`: `mutex`. Every access to `value` is in `withLock`; `mutex`
/// itself never changes.
@usableFromInline
package final class Guarded<Value: Sendable>: @unchecked Sendable {
    // the lock makes accesses exclusive: no dynamic check is needed on top
    @exclusivity(unchecked) @usableFromInline var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ value: Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    /// Runs `body` alone. It must be short, must not block, and must not come back to this lock.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body(&value)
    }

    @usableFromInline func lock() { pthread_mutex_lock(mutex) }
    @usableFromInline func unlock() { pthread_mutex_unlock(mutex) }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }
}

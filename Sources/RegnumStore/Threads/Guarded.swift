internal import Glibc

/// A value protected by a lock.
///
/// Uses a pthread mutex instead of `Synchronization.Mutex`: the thread sanitizer doesn't see the
/// contended path of `Mutex`, which is in the precompiled library, and reports false races
/// (`Docs/Decisions/002-locks.md`).
///
/// Guard of the `@unchecked Sendable`: `mutex`. Every access to `value` is in `withLock`; `mutex`
/// itself never changes.
@usableFromInline
package final class Guarded<Value: Sendable>: @unchecked Sendable {
    // The lock guarantees exclusive access, so no dynamic check is needed.
    @exclusivity(unchecked) @usableFromInline var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ value: Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    /// Runs `body` with exclusive access. It must be short, must not block, and must not reenter
    /// this lock.
    @inlinable
    package func withLock<Result: ~Copyable, Failure: Error>(
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

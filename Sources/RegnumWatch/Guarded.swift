internal import Glibc

/// A value protected by a lock.
///
/// Uses a pthread mutex instead of `Mutex`: the thread sanitizer doesn't see the contended path of
/// `Mutex`, which is in the precompiled library, and reports false races.
///
/// Guard: `mutex`. Every access to `value` is in `withLock`; `mutex` itself never changes.
final class Guarded<Value: Sendable>: @unchecked Sendable {
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init(_ value: Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    /// Runs `body` with exclusive access. It must be short, and must not reenter this lock.
    func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }
}

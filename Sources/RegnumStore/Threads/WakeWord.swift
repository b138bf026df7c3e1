internal import CRegnum

/// One word on which one thread sleeps until another wakes it; a wake before the sleep is kept.
///
/// Guard of the `@unchecked Sendable`: the word is touched only by atomic operations.
package final class WakeWord: @unchecked Sendable {
    private let word: UnsafeMutablePointer<UInt32>

    package init() {
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    deinit { word.deallocate() }

    /// The value to pass to `wait`: taken before looking whether there is work.
    package func observe() -> UInt32 { cregnum_load32(word) }

    /// Sleeps until `wake` was called since `observed` was taken, or the time is up. Blocks.
    package func wait(observed: UInt32, timeoutNanoseconds: UInt64) {
        _ = cregnum_futex_wait(word, observed, timeoutNanoseconds)
    }

    /// Wakes the sleeper, or keeps it from falling asleep. Never blocks.
    package func wake() {
        _ = cregnum_add32(word, 1)
        cregnum_futex_wake(word, 1)
    }
}

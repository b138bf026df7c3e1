internal import CRegnum

/// A word on which one thread sleeps until another wakes it. A wake-up before the sleep isn't lost.
///
/// Guard of the `@unchecked Sendable`: the word is accessed only by atomic operations.
package final class WakeWord: @unchecked Sendable {
    private let word: UnsafeMutablePointer<UInt32>

    package init() {
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    deinit { word.deallocate() }

    /// Returns the value to pass to `wait`. Call it before checking whether there is work.
    package func observe() -> UInt32 { cregnum_load32(word) }

    /// Sleeps until `wake` has been called since `observed` was read, or until the timeout. Blocks.
    package func wait(observed: UInt32, timeoutNanoseconds: UInt64) {
        _ = cregnum_futex_wait(word, observed, timeoutNanoseconds)
    }

    /// Wakes the sleeping thread, or prevents it from falling asleep. Never blocks.
    package func wake() {
        _ = cregnum_add32(word, 1)
        cregnum_futex_wake(word, 1)
    }
}

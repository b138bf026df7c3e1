internal import CRegnum

/// Thread-local access to an object while a closure runs. Scopes nest; the innermost one is
/// current.
///
/// The closure is synchronous, so it starts and ends on the same thread.
package struct ThreadScope<Content: AnyObject>: Sendable {
    /// The thread-local word that holds the object, one per kind of content.
    package enum Slot: Int32, Sendable {
        case damage
        case reads
        case leaves
    }

    private let slot: Int32

    package init(_ slot: Slot) { self.slot = slot.rawValue }

    /// The object of the calling thread's innermost scope, or `nil` outside any scope.
    package var current: Content? {
        // The word was set by a `run` further up this thread's stack, which keeps the object alive.
        UnsafeRawPointer(bitPattern: cregnum_thread_word(slot))
            .map { Unmanaged<Content>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs `body` with `content` as the thread's object.
    package func run<Result>(_ content: Content, _ body: () throws -> Result) rethrows -> Result {
        let outer = cregnum_thread_word(slot)
        let word = UInt(bitPattern: Unmanaged.passUnretained(content).toOpaque())
        cregnum_set_thread_word(slot, word)
        defer { cregnum_set_thread_word(slot, outer) }
        return try withExtendedLifetime(content) { try body() }
    }
}

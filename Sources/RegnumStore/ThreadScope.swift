internal import CRegnum

/// An object that belongs to the calling thread while a closure runs. Scopes nest: the innermost
/// one counts.
///
/// The closure is synchronous, so it runs and ends on one thread.
package struct ThreadScope<Content: AnyObject>: Sendable {
    /// Which word of the thread has the object: one for each kind of content.
    package enum Slot: Int32, Sendable {
        case damage
        case reads
    }

    private let slot: Int32

    package init(_ slot: Slot) { self.slot = slot.rawValue }

    /// The object of the innermost scope of the calling thread, nil outside of all.
    package var current: Content? {
        // The word is that of a `run` further up the stack of this thread, which keeps the object.
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

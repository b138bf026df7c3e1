/// A handle that keeps a watch or timer alive. It ends with `cancel()` or when the last reference
/// is released.
package final class WatchToken: Sendable {
    private let mailbox: LoopMailbox
    private let id: UInt64

    init(mailbox: LoopMailbox, id: UInt64) {
        self.mailbox = mailbox
        self.id = id
    }

    /// Requests the end of the watch and returns immediately. Can be called repeatedly, from any
    /// thread and from within a hint.
    ///
    /// The end is asynchronous: hints that the loop processes before the request still run, during
    /// or shortly after this call. Then no more hints start, and the closure is released on the
    /// loop thread. Hints are idempotent by contract, so a late one is harmless; to wait for the
    /// last one, await `WatchLoop.synchronize()` after cancelling.
    package func cancel() {
        // False means that the loop has stopped, and all its watches with it.
        _ = mailbox.post(.cancel(id: id))
    }

    deinit { cancel() }
}

/// Keeps one watch or timer alive: `cancel()`, or dropping the last reference, ends it.
package final class WatchToken: Sendable {
    private let mailbox: LoopMailbox
    private let id: UInt64

    init(mailbox: LoopMailbox, id: UInt64) {
        self.mailbox = mailbox
        self.id = id
    }

    /// Asks the loop to end the watch, and returns at once; may be called any number of times, from
    /// any thread and from inside a hint.
    ///
    /// The end is asynchronous: hints that the loop takes up before it reads the request still run,
    /// while or shortly after this call returns; then no more start, and the closure is released on
    /// the loop thread. Hints are idempotent by contract, so a late one does no harm; who has to
    /// know that none will come awaits `WatchLoop.synchronize()` after the cancellation.
    package func cancel() {
        // False means that the loop is stopped, and all its watches with it.
        _ = mailbox.post(.cancel(id: id))
    }

    deinit { cancel() }
}

/// One libuv loop on one thread, shared by all realms of the process: it tells that a file may have
/// changed, and fires timers.
///
/// Hints are hints, never facts: the system merges events, and drops them without a word when its
/// queue overflows (16,384 by default). So whoever takes a hint looks at its own cursor for what is
/// new, and sets a slow timer beside the watch.
///
/// Closures run on the loop thread, one at a time: they must be quick and must not block, else all
/// realms of the process wait. They may call everything here but `stop()`.
package final class WatchLoop: Sendable {
    /// The loop of the process. Its thread starts on first use.
    package static let shared = WatchLoop()

    private let threadName: String
    private let running = Guarded<LoopThread?>(nil)

    /// A loop with a thread of its own, for tests. The name is cut by the system at 15 bytes.
    init(threadName: String = "regnum-watch") {
        self.threadName = threadName
    }

    /// Calls `hint` whenever the file `fileName` in the directory `path` may have been written. The
    /// file must exist, and must not be replaced. Stores through a mapping raise no event.
    ///
    /// Returns when the watch stands, so that no write after that goes without a hint (but see
    /// above). Asynchronous, as the loop thread sets it up: the caller's thread is not blocked. The
    /// task's cancellation is ignored; the wait is one turn of the loop.
    ///
    /// Throws `WatchError` when there is no watch to be had: missing file or directory, no permission,
    /// a limit of the system, a network file system.
    package func watchDirectory(
        _ path: String, fileName: String, _ hint: @escaping @Sendable () -> Void
    ) async throws(WatchError) -> WatchToken {
        let mailbox = try mailbox()
        let id = mailbox.makeID()
        let failure = await withCheckedContinuation { reply in
            let command = LoopCommand.watch(
                id: id, path: path, fileName: fileName, hint: hint, reply: reply)
            if !mailbox.post(command) {
                reply.resume(returning: WatchError(reason: .stopped, path: path))
            }
        }
        if let failure { throw failure }
        return WatchToken(mailbox: mailbox, id: id)
    }

    /// Calls `fire` every `intervalMilliseconds` (at least 1), first after one interval, until the
    /// token is cancelled. Returns at once.
    ///
    /// Throws `WatchError` only when the loop is not running and cannot be started (descriptors or
    /// threads have run out), or is being stopped.
    package func startTimer(
        intervalMilliseconds: UInt64, _ fire: @escaping @Sendable () -> Void
    ) throws(WatchError) -> WatchToken {
        precondition(intervalMilliseconds > 0, "a timer's interval is at least 1 ms")
        let mailbox = try mailbox()
        let id = mailbox.makeID()
        let command = LoopCommand.timer(
            id: id, intervalMilliseconds: intervalMilliseconds, fire: fire)
        guard mailbox.post(command) else { throw WatchError(reason: .stopped) }
        return WatchToken(mailbox: mailbox, id: id)
    }

    /// Returns when the loop has carried out all cancellations asked for before; hints of what they
    /// ended are over then. Returns at once if the loop does not run.
    package func synchronize() async {
        guard let mailbox = running.withLock({ $0?.mailbox }) else { return }
        await withCheckedContinuation { reply in
            if !mailbox.post(.synchronize(reply)) { reply.resume() }
        }
    }

    /// Ends all watches and timers, closes all handles and returns when the thread has ended; a
    /// later use starts a new one. Tokens of before are then without effect.
    ///
    /// Blocks for one turn of the loop, the running hint included. Traps when called from a hint.
    package func stop() {
        take()?.stop()
    }

    deinit { take()?.abandon() }

    private func take() -> LoopThread? {
        running.withLock { running in
            defer { running = nil }
            return running
        }
    }

    private func mailbox() throws(WatchError) -> LoopMailbox {
        let name = threadName
        return try running.withLock { (running) throws(WatchError) -> LoopMailbox in
            if let running { return running.mailbox }
            let started = try LoopThread(name: name)
            running = started
            return started.mailbox
        }
    }
}

internal import RegnumStore

/// A libuv loop on its own thread, shared by all realms of the process. It reports that a file may
/// have changed, fires timers, and accepts connections to the process's socket.
///
/// Notifications are only hints: the system merges events, and silently drops them when its queue
/// overflows (16,384 events by default). A caller must check its own cursor for news when it gets a
/// hint, and use a slow timer in addition to the watch.
///
/// Closures run on the loop thread, one at a time. They must be quick and must not block, because
/// all realms of the process would wait. They may call everything here except `stop()`.
package final class WatchLoop: Sendable {
    /// The shared loop of the process. Its thread starts on first use.
    package static let shared = WatchLoop()

    private let threadName: String
    private let running = Guarded<LoopThread?>(nil)

    /// Creates a loop with its own thread, for tests. The system truncates the name to 15 bytes.
    init(threadName: String = "regnum-watch") {
        self.threadName = threadName
    }

    /// Calls `hint` whenever the file `fileName` in the directory `path` may have been written. The
    /// file must exist and must not be replaced. Stores through a mapping raise no event.
    ///
    /// Returns when the watch is established, so that every later write causes a hint (with the
    /// above exceptions). Asynchronous because the loop thread sets up the watch; the calling
    /// thread isn't blocked. Ignores task cancellation; the wait is one iteration of the loop.
    ///
    /// Throws `WatchError` if no watch can be established: missing file or directory, no
    /// permission, a system limit, a network file system.
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
    /// token is cancelled. Returns immediately.
    ///
    /// Throws `WatchError` only if the loop isn't running and can't be started (out of descriptors
    /// or threads), or is being stopped.
    package func startTimer(
        intervalMilliseconds: UInt64, _ fire: @escaping @Sendable () -> Void
    ) throws(WatchError) -> WatchToken {
        precondition(intervalMilliseconds > 0, "a timer's interval must be at least 1 ms")
        let mailbox = try mailbox()
        let id = mailbox.makeID()
        let command = LoopCommand.timer(
            id: id, intervalMilliseconds: intervalMilliseconds, fire: fire)
        guard mailbox.post(command) else { throw WatchError(reason: .stopped) }
        return WatchToken(mailbox: mailbox, id: id)
    }

    /// Accepts connections to the socket of this process for a subject until the token is
    /// cancelled, and passes each to `serve`, which has to close it. Returns immediately. If the
    /// socket can't be created, for example because the process already has one, the loop calls
    /// `didFail`, and there are no connections.
    ///
    /// Throws `WatchError` as `startTimer` does.
    package func startAnswering(
        _ subject: String, _ serve: @escaping @Sendable (Int32) -> Void,
        didFail: @escaping @Sendable () -> Void = {}
    ) throws(WatchError) -> WatchToken {
        let mailbox = try mailbox()
        let id = mailbox.makeID()
        let command = LoopCommand.answer(
            id: id, subject: subject, serve: serve, didFail: didFail)
        guard mailbox.post(command) else {
            throw WatchError(reason: .stopped)
        }
        return WatchToken(mailbox: mailbox, id: id)
    }

    /// Waits until the loop has processed all earlier cancellations; their hints no longer run
    /// then. Returns immediately if the loop isn't running.
    package func synchronize() async {
        guard let mailbox = running.withLock({ $0?.mailbox }) else { return }
        await withCheckedContinuation { reply in
            if !mailbox.post(.synchronize(reply)) { reply.resume() }
        }
    }

    /// Ends all watches and timers, closes all handles and waits for the thread to end. Using the
    /// loop later starts a new thread. Earlier tokens have no effect then.
    ///
    /// Blocks for one iteration of the loop, including a running hint. Traps when called from a
    /// hint.
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

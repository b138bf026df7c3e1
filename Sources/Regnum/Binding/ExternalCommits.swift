internal import Logging
internal import RegnumEngine
internal import RegnumStore
internal import RegnumWatch

/// Makes the coordinator check for commits of other processes: at each event of the watch on the
/// realm's directory and, while there are observers, every second (the system drops events when its
/// queue overflows). Without a watch (limits, network file systems), or if `LOCK` is missing or
/// can't be locked, so that other processes don't write to it, the timer runs all the time. If the
/// event loop is unavailable, for lack of descriptors or threads, the I/O pool provides the timer.
final class ExternalCommits: Sendable {
    private struct State: Sendable {
        var isStarted = false
        var isStopped = false
        var watch: WatchToken?
        var timer: WatchToken?
        var observers = 0
        /// Whether other processes wake this one.
        var hasWatch = false
        /// Whether a timer of the I/O pool replaces the event loop's, which is unavailable.
        var isPolling = false

        var needsTimer: Bool { isStarted && !isStopped && (observers > 0 || !hasWatch) }
    }

    private let state = Guarded(State())
    private let hint: @Sendable () -> Void
    private let beginWatching: @Sendable () throws(StoreError) -> Bool
    private let isReadOnly: Bool

    init(_ coordinator: Coordinator) {
        isReadOnly = coordinator.options.isReadOnly
        beginWatching = { [weak coordinator] () throws(StoreError) in
            try coordinator?.beginWatching() ?? false
        }
        hint = { [weak coordinator] in coordinator?.hint() }
    }

    deinit { stop() }

    /// Starts watching, unless that was already done. Returns when the watch is active.
    func start(path: String, logger: Logger?, name: String) async {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted && !state.isStopped
        }
        guard isFirst else { return }
        do {
            let watch = try await WatchLoop.shared.watchDirectory(path, fileName: "LOCK", hint)
            let isStopped = state.withLock { state in
                state.watch = state.isStopped ? nil : watch
                return state.isStopped
            }
            if isStopped {
                watch.cancel()
            } else {
                let isWoken = try beginWatching()
                state.withLock { $0.hasWatch = isWoken }
            }
        } catch {
            let reason = (error as? StoreError)?.message ?? "\(error)"
            // a read-only realm may be on media that can't be watched and that nobody writes to
            logger?.log(
                level: isReadOnly ? .debug : .warning,
                """
                \(reason): checking for commits of other processes every second instead
                """, metadata: ["realm": "\(name)"])
        }
        update()
        hint()  // commits between opening and the start of the watch
    }

    /// Registers an observer: a stream, drain or waiting task.
    func observerBegan() {
        state.withLock { $0.observers += 1 }
        update()
    }

    /// Unregisters an observer.
    func observerEnded() {
        state.withLock { $0.observers -= 1 }
        update()
    }

    /// Stops the watch and the timer permanently.
    func stop() {
        let tokens = state.withLock { state in
            state.isStopped = true
            defer {
                state.watch = nil
                state.timer = nil
            }
            return [state.watch, state.timer]
        }
        for token in tokens { token?.cancel() }
    }

    /// Starts or stops the timer, as needed.
    private func update() {
        let (ended, polls) = state.withLock { state -> (WatchToken?, Bool) in
            guard state.needsTimer else {
                defer { state.timer = nil }
                return (state.timer, false)
            }
            if state.timer == nil {
                state.timer = try? WatchLoop.shared.startTimer(intervalMilliseconds: 1000, hint)
            }
            guard state.timer == nil, !state.isPolling else { return (nil, false) }
            state.isPolling = true
            return (nil, true)
        }
        ended?.cancel()
        guard polls else { return }
        IOPool.shared.schedule(afterNanoseconds: 1_000_000_000) { [weak self] in
            guard let self else { return }
            state.withLock { $0.isPolling = false }
            hint()
            update()  // the event loop may be available by now
        }
    }
}

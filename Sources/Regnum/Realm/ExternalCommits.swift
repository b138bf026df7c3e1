internal import Logging
internal import RegnumEngine
internal import RegnumStore
internal import RegnumWatch

/// Has the coordinator look for commits of other processes: at each event of the watch on the
/// realm's directory, and every second while there are observers (the system drops events when its
/// queue overflows). Without a watch (limits, network file systems) the timer runs all the time; it
/// is one of the pool where the loop cannot be had, for lack of descriptors or threads.
final class ExternalCommits: Sendable {
    private struct State: Sendable {
        var isStarted = false
        var isStopped = false
        var watch: WatchToken?
        var timer: WatchToken?
        var observers = 0
        var hasWatch = false
        /// A timer of the pool stands in for the loop's, which cannot be had.
        var isPolling = false

        var needsTimer: Bool { isStarted && !isStopped && (observers > 0 || !hasWatch) }
    }

    private let state = Guarded(State())
    private let hint: @Sendable () -> Void
    private let beginWatching: @Sendable () -> Void
    private let isReadOnly: Bool

    init(_ coordinator: Coordinator) {
        isReadOnly = coordinator.options.isReadOnly
        beginWatching = { [weak coordinator] in coordinator?.beginWatching() }
        hint = { [weak coordinator] in coordinator?.hint() }
    }

    deinit { stop() }

    /// Sets the watch, if that was not done; returns when it stands.
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
                state.hasWatch = true
                return state.isStopped
            }
            if isStopped { watch.cancel() } else { beginWatching() }
        } catch {
            // a realm that is only read may lie where nothing can be watched, and nobody writes
            logger?.log(
                level: isReadOnly ? .debug : .warning,
                """
                \(error): commits of other processes are looked for every second instead
                """, metadata: ["realm": "\(name)"])
        }
        update()
        hint()  // what was committed between opening and the watch
    }

    /// A stream begins.
    func observerBegan() {
        state.withLock { $0.observers += 1 }
        update()
    }

    /// A stream ended.
    func observerEnded() {
        state.withLock { $0.observers -= 1 }
        update()
    }

    /// Ends watch and timer for good.
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

    /// Runs the timer when it is needed, and only then.
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
            update()  // the loop may be had by now
        }
    }
}

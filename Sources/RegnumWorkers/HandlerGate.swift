import Synchronization

/// Lets the handler of a consumer run until the consumer is to stop.
final class HandlerGate: Sendable {
    private struct State {
        var isRunning = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let idle = Wakeup()

    /// Called before the handler runs. Throws `CancellationError` if the gate is closed.
    func begin() throws(CancellationError) {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.isRunning = true }
            return !state.isClosed
        }
        if !isOpen { throw CancellationError() }
    }

    /// Called when the handler has returned and its success is saved.
    func end() {
        state.withLock { $0.isRunning = false }
        idle.set()
    }

    /// Closes the gate, and waits until no handler runs or the task is cancelled.
    func close() async {
        idle.clear()
        let isRunning = state.withLock { state in
            state.isClosed = true
            return state.isRunning
        }
        if isRunning { await idle.wait() }
    }
}

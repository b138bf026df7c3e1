import Synchronization

/// Lets the handler of a consumer run until the consumer is to stop.
final class HandlerGate: Sendable {
    /// Set when the consumer is to stop.
    let stop: Wakeup
    private let isRunning = Mutex(false)
    private let idle = Wakeup()

    init(until stop: Wakeup) {
        self.stop = stop
    }

    /// Called before the handler runs. Throws `CancellationError` if the consumer is to stop.
    func begin() throws(CancellationError) {
        let mayRun = isRunning.withLock { isRunning in
            isRunning = !stop.isSet
            return isRunning
        }
        if !mayRun { throw CancellationError() }
    }

    /// Whether the consumer is to stop.
    var isStopping: Bool { stop.isSet }

    /// Called when the handler has returned and its success is saved, or couldn't be saved at once.
    func end() {
        isRunning.withLock { $0 = false }
        idle.set()
    }

    /// Waits until the consumer is to stop and no handler runs, or the task is cancelled.
    func waitForStop() async {
        await stop.wait()
        guard stop.isSet else { return }
        idle.clear()
        if isRunning.withLock({ $0 }) { await idle.wait() }
    }
}

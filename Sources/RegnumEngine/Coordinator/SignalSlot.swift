internal import RegnumStore

/// What a subscriber was woken for. Hints: what there is to take is the truth.
package enum Signal: Sendable {
    /// There may be something to take.
    case changed
    /// The realm was closed, or the subscription or slot ended. What was committed before the
    /// realm was closed can still be taken.
    case closed
    /// The task was cancelled.
    case cancelled
}

/// One waiter of a subscription. Signals do not queue: any number of them since the last wait counts
/// as one. The slot ends with its last reference.
package final class SignalSlot: Sendable {
    private let hub: CommitHub
    private let entry: SubscriptionEntry
    private let id: UInt64
    private let word: SignalWord

    init(_ hub: CommitHub, _ entry: SubscriptionEntry, id: UInt64, _ word: SignalWord) {
        self.hub = hub
        self.entry = entry
        self.id = id
        self.word = word
    }

    deinit { hub.detach(id, from: entry) }

    /// Waits until a commit concerned the subscription since the last wait, the realm was closed or
    /// the task was cancelled. One task at a time waits.
    package func wait() async -> Signal { await word.wait() }

    /// Whether the next wait returns at once because of a signal; for tests.
    var isSignalled: Bool { word.isSignalled }

    /// Ends the slot: `wait` returns `closed` from now on.
    package func close() {
        hub.detach(id, from: entry)
        word.close()
    }
}

/// A word for one waiter: signals before the wait are kept, and so is the end.
final class SignalWord: Sendable {
    private enum State {
        case idle
        case signalled
        case waiting(UnsafeContinuation<Signal, Never>)
        case closed
    }

    private let state = Guarded(State.idle)

    var isSignalled: Bool {
        state.withLock { state in
            if case .signalled = state { true } else { false }
        }
    }

    func signal() { resume(with: .changed) }

    func close() { resume(with: .closed) }

    func wait() async -> Signal {
        let signal = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let ready: Signal? = state.withLock { state in
                    switch state {
                    case .closed: return .closed
                    case .signalled where !Task.isCancelled:
                        state = .idle
                        return .changed
                    case .waiting:
                        fatalError(
                            "Two tasks wait for the next element of one change stream: make a "
                                + "stream for each of them.")
                    case .idle, .signalled:
                        if Task.isCancelled { return .cancelled }
                        state = .waiting(continuation)
                        return nil
                    }
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let waiter: UnsafeContinuation<Signal, Never>? = state.withLock { state in
                guard case .waiting(let continuation) = state else { return nil }
                state = .idle
                return continuation
            }
            waiter?.resume(returning: .cancelled)
        }
        // for the thread sanitizer, as in `Coordinator.beginWrite`
        state.withLock { _ in }
        return signal
    }

    private func resume(with signal: Signal) {
        let waiter: UnsafeContinuation<Signal, Never>? = state.withLock { state in
            switch state {
            case .closed:
                return nil
            case .waiting(let continuation):
                state = signal == .closed ? .closed : .idle
                return continuation
            case .idle, .signalled:
                state = signal == .closed ? .closed : .signalled
                return nil
            }
        }
        waiter?.resume(returning: signal)
    }
}

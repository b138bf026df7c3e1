internal import RegnumStore

/// The reason for a wake-up. Only a hint: `take` determines what there is.
package enum Signal: Sendable {
    /// There may be something to take.
    case changed
    /// The realm was closed, or the subscription or slot ended. Commits before the realm was closed
    /// can still be taken.
    case closed
    /// The task was canceled.
    case cancelled
}

/// A waiter of a subscription. Signals don't queue: any number of them since the last wait count as
/// one. The slot ends when the last reference is released.
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

    /// Waits until a commit has concerned the subscription since the last wait, the realm is closed
    /// or the task is canceled. Only one task may wait at a time.
    package func wait() async -> Signal { await word.wait() }

    /// Whether the next wait returns immediately because of a signal; for tests.
    var isSignalled: Bool { word.isSignalled }

    /// Ends the slot. `wait` returns `closed` from now on.
    package func close() {
        hub.detach(id, from: entry)
        word.close()
    }
}

/// A signal for one waiter. Signals before the wait are kept, and so is the end.
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
                            "Two tasks are waiting for the next element of the same stream. "
                                + "Create a separate stream for each task.")
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
        // For the thread sanitizer, as in `Coordinator.beginWrite`.
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

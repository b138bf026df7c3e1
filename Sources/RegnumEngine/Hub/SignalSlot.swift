internal import RegnumStore

/// The reason for a wake-up. Only a hint: `take` determines what there is.
package enum Signal: Sendable {
    /// There may be something to take.
    case changed
    /// The realm was closed, or the subscription or slot ended. Commits before the realm was closed
    /// can still be taken.
    case closed
    /// The task was cancelled.
    case cancelled
    /// The deadline of the wait has passed. Signals that arrive later are kept.
    case timedOut
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
    /// or the task is cancelled. Only one task may wait at a time.
    ///
    /// - Parameter deadline: the time at which the wait returns `timedOut`. The task that waits for
    ///   this time has ended when the function returns.
    package func wait(until deadline: Deadline? = nil) async -> Signal {
        guard let deadline else { return await word.wait() }
        return await word.wait(until: deadline)
    }

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
        /// The deadline of the current wait passed before the wait began.
        case timedOut
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

    func wait(until deadline: Deadline) async -> Signal {
        // also ends a series of waits that signals keep interrupting
        if deadline.hasPassed { return missed }
        let signal = await withTaskGroup { group in
            group.addTask { [self] in
                if await deadline.isReached() { resume(with: .timedOut) }
            }
            let signal = await wait()
            group.cancelAll()
            return signal
        }
        // the deadline may have passed between the end of the wait and that of the other task
        state.withLock { state in
            if case .timedOut = state { state = .idle }
        }
        return signal
    }

    func wait() async -> Signal {
        let signal = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let ready: Signal? = state.withLock { state in
                    switch state {
                    case .closed: return .closed
                    case .signalled where !Task.isCancelled:
                        state = .idle
                        return .changed
                    case .timedOut where !Task.isCancelled:
                        state = .idle
                        return .timedOut
                    case .waiting:
                        fatalError(
                            "Two tasks are waiting for the next element of the same stream. "
                                + "Create a separate stream for each task.")
                    case .idle, .signalled, .timedOut:
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

    /// The signal if the deadline of a wait has passed before it begins.
    private var missed: Signal {
        state.withLock { state in
            if case .closed = state { return .closed }
            return Task.isCancelled ? .cancelled : .timedOut
        }
    }

    private func resume(with signal: Signal) {
        let waiter: UnsafeContinuation<Signal, Never>? = state.withLock { state in
            switch state {
            case .closed:
                return nil
            case .waiting(let continuation):
                state = signal == .closed ? .closed : .idle
                return continuation
            case .signalled where signal == .timedOut:
                return nil
            case .idle, .signalled, .timedOut:
                state =
                    switch signal {
                    case .closed: .closed
                    case .timedOut: .timedOut
                    case .changed, .cancelled: .signalled
                    }
                return nil
            }
        }
        waiter?.resume(returning: signal)
    }
}

internal import RegnumStore

/// What a subscriber was woken for. Hints: the published version is the truth.
package enum Signal: Sendable {
    /// A commit touched one of the classes.
    case changed
    /// The realm was closed.
    case closed
    /// The task was cancelled.
    case cancelled
}

/// One subscriber's place at the commits of a realm: a slot that is signalled and one waiter.
/// Signals do not queue: any number of them since the last `next` counts as one.
package final class Subscription: Sendable {
    private let hub: CommitHub
    private let id: UInt64
    /// The classes whose commits concern it; nil stands for all.
    private let tableNames: [String?]
    let slot = SignalSlot()

    init(_ hub: CommitHub, id: UInt64, tableNames: [String?]) {
        self.hub = hub
        self.id = id
        self.tableNames = tableNames
    }

    deinit { hub.remove(id, tableNames: tableNames) }

    /// Waits until a commit touched one of the classes since the last call, the realm was closed or the task
    /// was cancelled. One task at a time waits.
    package func next() async -> Signal { await slot.wait() }

    /// The summaries of the versions in `(after, through]` that touch the classes (others may be among
    /// them), or nil if some are no longer kept: then the two roots must be compared.
    package func summaries(after: UInt64, through: UInt64) -> [CommitSummary]? {
        hub.summaries(tableNames: tableNames, after: after, through: through)
    }

    /// Summaries up to `version` are no longer needed by this subscriber.
    package func advance(to version: UInt64) { hub.take(id, through: version) }

    /// Ends the subscription; `next` returns `closed` from now on.
    package func cancel() {
        slot.close()
        hub.remove(id, tableNames: tableNames)
    }
}

/// A word for one waiter: signals before the wait are kept, and so is the end.
final class SignalSlot: Sendable {
    private enum State {
        case idle
        case signalled
        case waiting(UnsafeContinuation<Signal, Never>)
        case closed
    }

    private let state = Guarded(State.idle)

    func signal() { resume(with: .changed) }

    func close() { resume(with: .closed) }

    func wait() async -> Signal {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let ready: Signal? = state.withLock { state in
                    switch state {
                    case .closed: return .closed
                    case .signalled where !Task.isCancelled:
                        state = .idle
                        return .changed
                    case .waiting: preconditionFailure("two tasks wait on one subscription")
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

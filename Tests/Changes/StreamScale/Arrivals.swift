import RegnumStore

/// Counts arrivals for a task that waits for all of them.
final class Arrivals: Sendable {
    private struct State {
        var count = 0
        var expected = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Guarded(State())

    func arrive() { settle { $0.count += 1 } }

    /// Returns once `count` have arrived in total.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            settle { state in
                state.expected = count
                state.waiter = continuation
            }
        }
    }

    private func settle(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            change(&state)
            guard state.count >= state.expected else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}

/// A value that a closure passes to its caller.
final class Kept<Value: Sendable>: Sendable {
    private let kept = Guarded<Value?>(nil)

    var value: Value? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}

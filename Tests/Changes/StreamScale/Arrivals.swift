import Synchronization

/// Counts those who came somewhere, for the one who waits for all of them.
final class Arrivals: Sendable {
    private struct State {
        var count = 0
        var expected = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func arrive() { settle { $0.count += 1 } }

    /// Returns when so many have arrived in all.
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

/// Something that a closure leaves for its caller.
final class Kept<Value: Sendable>: Sendable {
    private let kept = Mutex<Value?>(nil)

    var value: Value? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}

import Synchronization

/// A value that is changed by one side, and whose changes others wait for.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let isMet: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
        var timer: Task<Void, any Error>?
    }

    private struct State {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var nextID = 0
    }

    private let state: Mutex<State>

    init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    func read<T: Sendable>(_ body: (Value) -> T) -> T {
        state.withLock { body($0.value) }
    }

    /// Changes the value and wakes tasks whose condition is now met.
    func update(_ change: (inout Value) -> Void) {
        let met = state.withLock { state in
            change(&state.value)
            let met = state.waiters.filter { $0.value.isMet(state.value) }
            for id in met.keys { state.waiters[id] = nil }
            return Array(met.values)
        }
        for waiter in met {
            waiter.timer?.cancel()
            waiter.continuation.resume(returning: true)
        }
    }

    /// Waits until the value meets a condition; returns `false` if it doesn't within the limit.
    func wait(within limit: Duration, until isMet: @escaping @Sendable (Value) -> Bool) async
        -> Bool
    {
        await withCheckedContinuation { continuation in
            let id: Int? = state.withLock { state in
                if isMet(state.value) { return nil }
                state.nextID += 1
                state.waiters[state.nextID] = Waiter(isMet: isMet, continuation: continuation)
                return state.nextID
            }
            guard let id else { return continuation.resume(returning: true) }
            let timer = Task {
                try await Task.sleep(for: limit)
                giveUp(id)
            }
            let isWaiting = state.withLock { state in
                state.waiters[id]?.timer = timer
                return state.waiters[id] != nil
            }
            if !isWaiting { timer.cancel() }
        }
    }

    private func giveUp(_ id: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
        waiter?.continuation.resume(returning: false)
    }
}

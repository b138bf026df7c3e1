/// Writers in order of arrival; those that gave up are taken out.
struct WaiterQueue {
    typealias Continuation = UnsafeContinuation<TurnOutcome, Never>

    private struct Waiter {
        var id: UInt64
        var deadline: UInt64?
        var continuation: Continuation
    }

    private var waiters: [Waiter] = []
    private var first = 0

    var isEmpty: Bool { first == waiters.count }
    var count: Int { waiters.count - first }
    /// When the first of them wants to give up.
    var earliestDeadline: UInt64? { waiters[first...].lazy.compactMap(\.deadline).min() }

    mutating func append(id: UInt64, deadline: UInt64?, _ continuation: Continuation) {
        waiters.append(Waiter(id: id, deadline: deadline, continuation: continuation))
    }

    mutating func popFirst() -> Continuation? {
        guard !isEmpty else { return nil }
        let waiter = waiters[first]
        first += 1
        if first > 64, first * 2 > waiters.count {
            waiters.removeFirst(first)
            first = 0
        }
        return waiter.continuation
    }

    /// Takes the waiter out, if it still waits.
    mutating func remove(id: UInt64) -> Continuation? {
        guard let index = waiters[first...].firstIndex(where: { $0.id == id }) else { return nil }
        return waiters.remove(at: index).continuation
    }

    /// Takes those out whose deadline has come.
    mutating func removeAll(until now: UInt64) -> [Continuation] {
        let isLate = { (waiter: Waiter) in waiter.deadline.map { $0 <= now } ?? false }
        let late = waiters[first...].filter(isLate)
        guard !late.isEmpty else { return [] }
        waiters = waiters[first...].filter { !isLate($0) }
        first = 0
        return late.map(\.continuation)
    }

    mutating func removeAll() -> [Continuation] {
        defer {
            waiters = []
            first = 0
        }
        return waiters[first...].map(\.continuation)
    }
}

extension CoordinatorState {
    /// The time for which the caller must set the timer of the waiters, if it is not set.
    mutating func claimWaiterTimer() -> UInt64? {
        guard waiterTimerAt == nil, let deadline = waiters.earliestDeadline else { return nil }
        waiterTimerAt = deadline
        return deadline
    }
}

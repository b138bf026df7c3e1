/// Waiting writers in order of arrival. Those that give up are removed from the middle.
///
/// - Complexity: each call is O(log n) amortized for each writer that it adds or removes.
struct WaiterQueue {
    typealias Continuation = UnsafeContinuation<TurnOutcome, Never>

    /// A waiting writer.
    struct Waiter {
        /// The call site of the write, `nil` if unknown.
        var place: CallPlace?
        /// The time at which it started to wait.
        var since: UInt64
        var deadline: UInt64?
        var continuation: Continuation
    }

    private var waiters: [UInt64: Waiter] = [:]
    /// The ids in order of arrival, including some that were removed.
    private var order: [UInt64] = []
    private var first = 0
    /// The deadlines of writers, including some that were removed.
    private var deadlines = DeadlineHeap()
    /// The number of ids and deadlines visited, for tests.
    private(set) var stepCount = 0

    var isEmpty: Bool { waiters.isEmpty }
    var count: Int { waiters.count }

    mutating func append(
        id: UInt64, since: UInt64, deadline: UInt64?, place: CallPlace?,
        _ continuation: Continuation
    ) {
        waiters[id] = Waiter(
            place: place, since: since, deadline: deadline, continuation: continuation)
        order.append(id)
        if let deadline { stepCount += deadlines.insert((deadline, id)) }
        stepCount += 1
    }

    /// The writer that has waited longest.
    var oldest: Waiter? {
        mutating get {
            skipRemoved()
            return first < order.count ? waiters[order[first]] : nil
        }
    }

    mutating func popFirst() -> Waiter? {
        skipRemoved()
        guard first < order.count else { return nil }
        first += 1
        defer { compact() }
        return waiters.removeValue(forKey: order[first - 1])
    }

    /// Removes the waiter and returns its continuation, if it is still waiting.
    mutating func remove(id: UInt64) -> Continuation? {
        stepCount += 1
        guard let waiter = waiters.removeValue(forKey: id) else { return nil }
        compact()
        return waiter.continuation
    }

    /// The earliest deadline of a waiter.
    var earliestDeadline: UInt64? {
        mutating get {
            while let next = deadlines.first {
                if waiters[next.id] != nil { return next.deadline }
                stepCount += deadlines.removeFirst()
            }
            return nil
        }
    }

    /// Removes the waiters whose deadline has passed and returns their continuations.
    mutating func removeAll(until now: UInt64) -> [Continuation] {
        var late: [Continuation] = []
        while let next = deadlines.first, next.deadline <= now {
            stepCount += deadlines.removeFirst()
            if let waiter = waiters.removeValue(forKey: next.id) {
                late.append(waiter.continuation)
            }
        }
        compact()
        return late
    }

    mutating func removeAll() -> [Continuation] {
        defer { self = WaiterQueue() }
        return order[first...].compactMap { waiters[$0]?.continuation }
    }

    private mutating func skipRemoved() {
        while first < order.count, waiters[order[first]] == nil {
            first += 1
            stepCount += 1
        }
    }

    /// Discards the entries of removed waiters once they outnumber the remaining ones.
    private mutating func compact() {
        if order.count > 64, order.count > 2 * waiters.count {
            stepCount += order.count
            order = order[first...].filter { waiters[$0] != nil }
            first = 0
        }
        if deadlines.count > 64, deadlines.count > 2 * waiters.count {
            stepCount += deadlines.count
            deadlines.removeAll { waiters[$0.id] == nil }
        }
    }
}

/// A binary min-heap of deadlines.
private struct DeadlineHeap {
    typealias Item = (deadline: UInt64, id: UInt64)

    private var items: [Item] = []

    var count: Int { items.count }
    var first: Item? { items.first }

    /// - Returns: the number of items moved.
    mutating func insert(_ item: Item) -> Int {
        items.append(item)
        return siftUp(from: items.count - 1)
    }

    /// - Returns: the number of items moved.
    mutating func removeFirst() -> Int {
        items.swapAt(0, items.count - 1)
        items.removeLast()
        var (index, moveCount) = (0, 1)
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < items.count && items[child].deadline < items[least].deadline {
                least = child
            }
            if least == index { return moveCount }
            items.swapAt(index, least)
            index = least
            moveCount += 1
        }
    }

    mutating func removeAll(where isRemoved: (Item) -> Bool) {
        // A sorted array is a heap.
        items = items.filter { !isRemoved($0) }.sorted { $0.deadline < $1.deadline }
    }

    private mutating func siftUp(from start: Int) -> Int {
        var (index, moveCount) = (start, 1)
        while index > 0, items[index].deadline < items[(index - 1) / 2].deadline {
            items.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
            moveCount += 1
        }
        return moveCount
    }
}

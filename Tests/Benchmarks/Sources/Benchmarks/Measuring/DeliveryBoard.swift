import Synchronization

/// What an observer of people by age was told of one commit.
struct AgeDelivery: Sendable {
    var deletions: Int
    var insertions: Int
    var modifications: Int

    var isEmpty: Bool { deletions + insertions + modifications == 0 }
}

/// Where observers report what they were told, and the one that commits waits until all have theirs
/// that must get something.
final class DeliveryBoard: Sendable {
    struct Report: Sendable {
        var delivery: AgeDelivery
        /// Of CLOCK_MONOTONIC.
        var nanoseconds: Int64
    }

    private struct State {
        var expectedCount = 0
        var reports: [Int: Report] = [:]
        var failure: (any Error)?
        var waiter: CheckedContinuation<[Int: Report], any Error>?

        /// The one that waits and what it waits for, if that is there.
        mutating func takeWaiter() -> CheckedContinuation<[Int: Report], any Error>? {
            guard failure != nil || reports.count >= expectedCount else { return nil }
            defer { waiter = nil }
            return waiter
        }
    }

    private let state = Mutex(State())

    /// From now on the reports of so many observers are waited for.
    func expect(_ count: Int) {
        state.withLock { state in
            state.expectedCount = count
            state.reports = [:]
        }
    }

    /// An observer has a change set in its hand since that time.
    func report(_ observer: Int, _ delivery: AgeDelivery, at nanoseconds: Int64) {
        settle { $0.reports[observer] = Report(delivery: delivery, nanoseconds: nanoseconds) }
    }

    /// An observer cannot go on.
    func fail(_ error: any Error) {
        settle { $0.failure = error }
    }

    /// The reports, by observer, when as many as expected are there.
    func reports() async throws -> [Int: Report] {
        try await withCheckedThrowingContinuation { continuation in
            settle { $0.waiter = continuation }
        }
    }

    private func settle(_ change: (inout State) -> Void) {
        let result = state.withLock { state in
            change(&state)
            return (state.takeWaiter(), state.reports, state.failure)
        }
        if let failure = result.2 {
            result.0?.resume(throwing: failure)
        } else {
            result.0?.resume(returning: result.1)
        }
    }
}

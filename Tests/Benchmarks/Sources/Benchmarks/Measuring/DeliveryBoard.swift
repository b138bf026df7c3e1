import Synchronization

/// The changes that an observer of people by age received for one commit.
struct AgeDelivery: Sendable {
    var deletions: Int
    var insertions: Int
    var modifications: Int

    var isEmpty: Bool { deletions + insertions + modifications == 0 }
}

/// Where observers report what they received, and where the committing task waits for all reports
/// that are due.
final class DeliveryBoard: Sendable {
    struct Report: Sendable {
        var delivery: AgeDelivery
        /// The time by CLOCK_MONOTONIC.
        var nanoseconds: Int64
    }

    private struct State {
        var expectedCount = 0
        var reports: [Int: Report] = [:]
        var failure: (any Error)?
        var waiter: CheckedContinuation<[Int: Report], any Error>?

        /// Returns the waiting task's continuation if its reports have arrived.
        mutating func takeWaiter() -> CheckedContinuation<[Int: Report], any Error>? {
            guard failure != nil || reports.count >= expectedCount else { return nil }
            defer { waiter = nil }
            return waiter
        }
    }

    private let state = Mutex(State())

    /// Starts waiting for the reports of this many observers.
    func expect(_ count: Int) {
        state.withLock { state in
            state.expectedCount = count
            state.reports = [:]
        }
    }

    /// Reports that an observer received a change set at that time.
    func report(_ observer: Int, _ delivery: AgeDelivery, at nanoseconds: Int64) {
        settle { $0.reports[observer] = Report(delivery: delivery, nanoseconds: nanoseconds) }
    }

    /// Reports that an observer failed.
    func fail(_ error: any Error) {
        settle { $0.failure = error }
    }

    /// Returns the reports, by observer, once as many as expected have arrived.
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

import Foundation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// The threads of long transaction bodies and of integrity checks.
@Suite struct LaneTests {
    /// Lets bodies wait until all of them run.
    ///
    /// Guard of the `@unchecked Sendable`: `condition`, held around each access to the numbers.
    private final class Meeting: @unchecked Sendable {
        private let condition = NSCondition()
        private var missing: Int
        private var isGivenUp = false

        init(of count: Int) { missing = count }

        /// Waits for the others. Returns false if they don't come within ten minutes, because they
        /// have no thread; on a busy machine, they may come late.
        func join() -> Bool {
            condition.lock()
            defer { condition.unlock() }
            missing -= 1
            if missing == 0 { condition.broadcast() }
            let deadline = Date(timeIntervalSinceNow: 600)
            while missing > 0, !isGivenUp {
                if !condition.wait(until: deadline) { isGivenUp = true }
            }
            if isGivenUp { condition.broadcast() }
            return missing <= 0
        }
    }

    @Test func longBodiesOfManyRealmsRunAtTheSameTime() async throws {
        let count = 20
        let meeting = Meeting(of: count)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                group.addTask {
                    let realm = try await Realm.temporary([Person.self])
                    // Runs where it was called, and makes the next body run in the lane.
                    try await realm.write { _ in
                        let start = ContinuousClock.now
                        while start.duration(to: .now) < .milliseconds(3) {}
                    }
                    #expect(await realm.pace.isLong)
                    return try await realm.write { _ in meeting.join() }
                }
            }
            for try await hasMet in group { expectTrue(hasMet) }
        }
    }

    /// A check neither waits for other long jobs nor for the threads that write and read the log.
    @Test func anIntegrityCheckDoesNotWaitForOtherJobs() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in try tx.add(Person("Ada", age: 36)) }
        let pools =
            Array(repeating: IOPool.elastic, count: 20)
            + Array(repeating: IOPool.shared, count: 16)
        let meeting = Meeting(of: pools.count + 1)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for pool in pools {
                // Submits the job before the loop continues.
                group.addImmediateTask { try await blocking(on: pool) { meeting.join() } }
            }
            try await realm.snapshot().checkIntegrity()
            group.addTask { try await blocking(on: .elastic) { meeting.join() } }
            for try await hasMet in group { expectTrue(hasMet) }
        }
    }
}

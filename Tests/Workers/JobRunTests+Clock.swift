import Foundation
import Regnum
import RegnumTestSupport
import RegnumTesting
import RegnumWorkers
import Testing

@testable import RegnumTestModels

/// Queues whose clock is set.
extension JobRunTests {
    /// The queue finds that a job is due, and by the time it claims jobs, none is.
    @Test func aJobRunsWhenItIsDueAgainAfterTheClockWasSetBack() async throws {
        let due = clock.date + 10
        let lookCount = Mutexed(0)
        let queue = try await queue { options in
            options.time = WorkerTime(clock: clock) { [clock] in
                let date = clock.date
                guard date >= due else { return date }
                lookCount.value += 1
                return lookCount.value > 1 ? date - 20 : date
            }
        }
        try await queue.realm.write { try $0.enqueue(Parcel("a"), at: due) }
        try await running(queue) { [journal] run in
            journal.add(run.job.label)
        } during: {
            // those of the queue and of the renewal of claims
            try await clock.sleeps(2)
            clock.advance(by: .seconds(10))
            while clock.sleeperCount < 2 { try await Task.sleep(for: .milliseconds(1)) }
            expectEqual(journal.entries, [])
            clock.advance(by: .seconds(20))
            expectEqual(await journal.entries(1), ["a"])
        }
    }
}

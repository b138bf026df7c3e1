import Foundation
import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels
@testable import RegnumWorkers

/// Claims without handlers, with a clock that only the test moves.
@Suite struct JobClaimTests {
    let clock = ManualClock()

    private func queue(
        _ types: [ObjectBase.Type]? = workerTypes,
        _ change: (inout JobOptions) -> Void = { _ in }
    ) async throws -> JobQueue<Parcel> {
        var options = JobOptions()
        options.time = clock.time
        options.timeout = .seconds(30)
        options.retry = RetryPolicy(attempts: 3, delay: .seconds(10), jitter: 0)
        options.logger = nil
        change(&options)
        return JobQueue(in: try await Realm.temporary(types), options: options)
    }

    private func labels(_ claims: [JobClaim<Parcel>]) -> [String] { claims.map(\.job.label) }

    // MARK: Order

    @Test func jobsAreClaimedByPriorityAndThenInTheirOrder() async throws {
        let queue = try await queue()
        try await queue.realm.write { tx in
            try tx.add(Parcel("a"))
            try tx.enqueue(Parcel("low"), priority: -100)
            try tx.enqueue(Parcel("high"), priority: 100)
            try tx.enqueue(Parcel("b"))
            try tx.enqueue(Parcel("higher than a"), priority: 1)
        }
        expectEqual(labels(try await queue.claim(upTo: 2)), ["high", "higher than a"])
        expectEqual(labels(try await queue.claim(upTo: 10)), ["a", "b", "low"])
        expectEqual(labels(try await queue.claim(upTo: 10)), [])
        expectEqual(
            try await queue.counts(),
            JobCounts(ready: 0, scheduled: 0, running: 5, done: 0, dead: 0, isPaused: false))
    }

    @Test func scheduledJobsWaitForTheirDate() async throws {
        let queue = try await queue()
        let date = clock.date
        try await queue.realm.write { tx in
            try tx.enqueue(Parcel("later"), priority: 9, at: date + 20)
            try tx.enqueue(Parcel("soon"), at: date + 10)
            try tx.enqueue(Parcel("past"), at: date - 10)
        }
        let later = try requireValue(queue.jobs(.scheduled).current.first)
        expectTrue(later.dueAt == date + 20 && later.status == .scheduled)
        expectEqual(labels(try await queue.claim(upTo: 10)), ["past"])
        clock.advance(by: .seconds(9))
        expectEqual(labels(try await queue.claim(upTo: 10)), [])
        clock.advance(by: .seconds(11))
        expectEqual(labels(try await queue.claim(upTo: 10)), ["later", "soon"])
    }

    @Test func timeToTheNextJobIsFoundInTheIndex() async throws {
        let queue = try await queue()
        let (table, now) = (queue.table, clock.date)
        func time() async throws -> Duration {
            try await queue.realm.read { tx in
                table.timeToNextDue(now, limit: .seconds(60), tx)
            }
        }
        expectEqual(try await time(), .seconds(60))
        for (seconds, expected) in [(100.0, 60.0), (59.5, 59.5), (0.25, 0.25), (0, 0)] {
            try await queue.realm.write { tx in
                try tx.enqueue(Parcel("x"), at: now.addingTimeInterval(seconds))
            }
            let found = try await time()
            expectTrue(
                found >= .seconds(expected) && found <= .seconds(expected + 0.002), "\(found)")
        }
    }

    @Test func claimsEvaluateFewRows() async throws {
        let queue = try await queue()
        try await queue.realm.write { tx in
            for number in 0..<20_000 {
                try tx.enqueue(Parcel("\(number)"), priority: number % 10 == 0 ? number / 200 : 0)
            }
        }
        let before = queue.realm.stats().queriedRows
        for _ in 0..<10 { expectEqual(try await queue.claim(upTo: 10).count, 10) }
        let count = queue.realm.stats().queriedRows - before
        expectTrue(count < 1_000, "\(count) rows")
    }

    // MARK: Ends

    @Test func finishedJobsAreDeletedOrKept() async throws {
        let queue = try await queue()
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        expectEqual(try await queue.finish(queue.claim(upTo: 1)), [])
        expectEqual(queue.realm.snapshot().objects(Parcel.self).count, 0)

        let keeping = try await self.queue { $0.keepsFinished = true }
        try await keeping.realm.write { try $0.enqueue(Parcel("a")) }
        try await keeping.finish(keeping.claim(upTo: 1))
        let done = try requireValue(keeping.jobs(.done).current.first)
        expectTrue(done.progress == 1 && done.finishedAt == clock.date && done.dueAt == nil)
        expectEqual(try await keeping.removeFinished(before: clock.date), 0)
        expectEqual(try await keeping.removeFinished(before: clock.date + 1), 1)
        expectEqual(keeping.realm.snapshot().objects(Parcel.self).count, 0)
    }

    @Test func failedJobsAreRetriedWithGrowingDelaysAndThenDead() async throws {
        let queue = try await queue()
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        for (attempt, delay) in [(1, 10), (2, 20)] {
            let claim = try #require(try await queue.claim(upTo: 1).first)
            expectEqual(claim.attempt, attempt)
            try await queue.fail(claim, Failure(reason: "no \(attempt)"))
            let job = try requireValue(queue.jobs(.scheduled).current.first)
            expectEqual(job.dueAt, clock.date + Double(delay))
            expectTrue(job.lastError?.contains("no \(attempt)") == true)
            expectEqual(try await queue.claim(upTo: 1).count, 0)
            clock.advance(by: .seconds(delay))
        }
        try await queue.fail(try #require(try await queue.claim(upTo: 1).first), Failure())
        clock.advance(by: .seconds(1_000_000))
        expectEqual(try await queue.claim(upTo: 1).count, 0)
        let dead = try requireValue(queue.jobs(.dead).current.first)
        expectTrue(dead.attempts == 3 && dead.finishedAt != nil && dead.status == .dead)

        expectEqual(try await queue.retryDead(), 1)
        let claim = try #require(try await queue.claim(upTo: 1).first)
        expectTrue(claim.attempt == 1 && claim.job.finishedAt == nil)
        expectEqual(try await queue.retryDead(), 0)
    }

    @Test func handlersDecideWithTheirError() async throws {
        let queue = try await queue()
        try await queue.realm.write { tx in
            try tx.enqueue(Parcel("later"), priority: 1)
            try tx.enqueue(Parcel("never"))
        }
        let claims = try await queue.claim(upTo: 2)
        try await queue.fail(claims[0], JobFailure.retry(after: .seconds(7), "busy"))
        try await queue.fail(claims[1], JobFailure.permanent("gone"))
        let later = try requireValue(queue.jobs(.scheduled).current.first)
        expectTrue(later.dueAt == clock.date + 7 && later.lastError == "busy")
        expectEqual(queue.jobs(.dead).current.map(\.lastError), ["gone"])
    }

    // MARK: Expiry

    @Test func expiredClaimIsGivenToAnotherWorkerAndLost() async throws {
        let queue = try await queue()
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        let first = try await queue.claim(upTo: 1)
        clock.advance(by: .seconds(29))
        expectEqual(try await queue.claim(upTo: 1).count, 0)
        clock.advance(by: .seconds(1))
        let second = try await queue.claim(upTo: 1)
        expectEqual(second.map(\.attempt), [2])
        expectTrue(second[0].job.lastError?.contains("expired") == true)

        expectEqual(try await queue.finish(first), [first[0].id])
        expectEqual(try await queue.renew(first), [first[0].id])
        await #expect(throws: WorkerError.claimLost(first[0].id)) {
            try await queue.fail(first[0], Failure())
        }
        try await queue.release(first)
        expectEqual(try await queue.counts().running, 1)
        expectEqual(try await queue.finish(second), [])
        expectEqual(try await queue.finish(second), [second[0].id])
    }

    @Test func claimOfADeletedJobIsNotValidForAnotherWithItsIdentity() async throws {
        let queue = try await queue()
        let id = ObjectId.generate()
        func enqueue() async throws -> [JobClaim<Parcel>] {
            try await queue.realm.write { tx in
                let parcel = Parcel("a")
                parcel.id = id
                try tx.enqueue(parcel)
            }
            return try await queue.claim(upTo: 1)
        }
        let first = try await enqueue()
        try await queue.realm.write { tx in tx.delete(tx.objects(Parcel.self)) }
        let second = try await enqueue()
        expectEqual(try await queue.finish(first), [id])
        expectEqual(try await queue.finish(second), [])
    }

    @Test func jobThatKillsItsWorkersIsGivenUp() async throws {
        let queue = try await queue()
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        for _ in 0..<3 {
            expectEqual(try await queue.claim(upTo: 1).count, 1)
            clock.advance(by: .seconds(30))
        }
        expectEqual(try await queue.claim(upTo: 1).count, 0)
        expectEqual(try await queue.counts().dead, 1)
    }

    @Test func renewedClaimLasts() async throws {
        let queue = try await queue()
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        let claims = try await queue.claim(upTo: 1)
        for _ in 0..<5 {
            clock.advance(by: .seconds(29))
            expectEqual(try await queue.renew(claims), [])
        }
        expectEqual(try await queue.claim(upTo: 1).count, 0)
        expectEqual(try await queue.finish(claims), [])
    }

    @Test func releasedJobIsReadyAndTheAttemptDoesNotCount() async throws {
        let queue = try await queue()
        try await queue.realm.write { try $0.enqueue(Parcel("a"), priority: 3) }
        let first = try await queue.claim(upTo: 1)
        try await queue.release(first)
        let second = try await queue.claim(upTo: 1)
        expectEqual(second.map(\.attempt), [1])
        // the number of the claim differs, although that of the attempt doesn't
        expectEqual(try await queue.finish(first), [first[0].id])
    }

    /// The lanes of ready jobs are priorities, and other numbers are other statuses.
    @Test(arguments: [500, 1_003, Int.min])
    func jobStaysReadyWhateverItsPriority(priority: Int) async throws {
        let queue = try await queue()
        try await queue.realm.write { tx in
            try tx.create(Parcel.self, value: ["label": "a", "priority": priority])
        }
        for _ in 0..<2 {
            let claims = try await queue.claim(upTo: 1)
            expectEqual(labels(claims), ["a"])
            try await queue.release(claims)
            expectEqual(try await queue.counts().ready, 1)
        }
        try await queue.fail(queue.claim(upTo: 1)[0], JobFailure.permanent("no"))
        expectEqual(try await queue.retryDead(), 1)
        expectEqual(try await queue.claim(upTo: 1).count, 1)
    }

    @Test func numbersOfAForeignFileDoNotTrap() async throws {
        let queue = try await queue()
        try await queue.realm.write { tx in
            let job = Parcel("a")
            try tx.enqueue(job)
            (job.jobToken, job.attempts) = (.max, .max)
        }
        let claims = try await queue.claim(upTo: 1)
        expectEqual(claims.count, 1)
        try await queue.release(claims)
        expectEqual(queue.jobs(.ready).current.map(\.attempts), [.max])
    }

    @Test func storedErrorsAreShort() async throws {
        let queue = try await queue()
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        // one Character
        let text = "e" + String(repeating: "\u{301}", count: 10_000)
        try await queue.fail(queue.claim(upTo: 1)[0], JobFailure.permanent(text))
        let stored = try requireValue(queue.jobs(.dead).current.first?.lastError)
        expectEqual(stored.unicodeScalars.count, 1_000)
    }

    // MARK: Keys, pauses and mistakes

    @Test func uniqueKeyBelongsToOneUnfinishedJob() async throws {
        let queue = try await queue { $0.keepsFinished = true }
        @Sendable func enqueue(_ label: String) async throws -> EnqueuedJob {
            try await queue.realm.write { try $0.enqueue(Parcel(label), uniqueKey: "k") }
        }
        let first = try await enqueue("a")
        expectTrue(first.isNew)
        expectEqual(try await enqueue("b"), EnqueuedJob(id: first.id, isNew: false))
        let claims = try await queue.claim(upTo: 5)
        expectEqual(labels(claims), ["a"])
        expectEqual(try await enqueue("c").isNew, false)
        try await queue.finish(claims)
        #expect(try await enqueue("d").isNew)
        try await queue.fail(
            try #require(try await queue.claim(upTo: 1).first), JobFailure.permanent("no"))
        #expect(try await enqueue("e").isNew)
        // the key belongs to another job now
        expectEqual(try await queue.retryDead(), 0)
        try await queue.realm.write { tx in
            try tx.enqueue(Parcel("other"), uniqueKey: "l")
            try tx.enqueue(Parcel("none"))
            try tx.enqueue(Parcel("none"))
        }
        expectEqual(try await queue.counts().ready, 4)
    }

    @Test func deadJobsThatAreLeftOutDoNotCountTowardsTheLimit() async throws {
        let queue = try await queue()
        for (label, key) in [("a", "k"), ("b", "k"), ("c", nil)] {
            try await queue.realm.write { try $0.enqueue(Parcel(label), uniqueKey: key) }
            try await queue.fail(queue.claim(upTo: 1)[0], JobFailure.permanent("no"))
        }
        expectEqual(try await queue.retryDead(limit: 0), 0)
        expectEqual(try await queue.retryDead(limit: 1), 1)
        // not "b", whose key "a" has
        expectEqual(try await queue.retryDead(limit: 1), 1)
        expectEqual(labels(try await queue.claim(upTo: 5)), ["a", "c"])
    }

    @Test func copyOfADeadJobStartsWithAllAttempts() async throws {
        let queue = try await queue()
        try await queue.realm.write { _ = try $0.enqueue(Parcel("a")) }
        for _ in 1...3 {
            try await queue.fail(queue.claim(upTo: 1)[0], Failure())
            clock.advance(by: .seconds(100))
        }
        try await queue.realm.write { tx in
            let dead = try requireValue(queue.jobs(.dead, in: tx).first)
            let copy = Parcel(value: dead)
            copy.id = .generate()
            try tx.enqueue(copy)
            expectTrue(copy.finishedAt == nil && copy.lastError == nil && copy.worker == nil)
            tx.delete(dead)
        }
        let claim = try requireValue(try await queue.claim(upTo: 1).first)
        expectTrue(claim.job.label == "a" && claim.attempt == 1)
        try await queue.fail(claim, Failure())
        expectEqual(try await queue.counts().scheduled, 1)
    }

    @Test func pausedQueueClaimsNothing() async throws {
        let queue = try await queue()
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        try await queue.pause()
        try await queue.pause()
        expectEqual(try await queue.claim(upTo: 1).count, 0)
        #expect(try await queue.counts().isPaused)
        try await queue.resume()
        expectEqual(try await queue.claim(upTo: 1).count, 1)
        #expect(try await !queue.counts().isPaused)
    }

    @Test func jobIsPartOfItsTransaction() async throws {
        let queue = try await queue()
        await #expect(throws: Failure()) {
            try await queue.realm.write { tx in
                try tx.enqueue(Parcel("a"))
                throw Failure()
            }
        }
        expectEqual(try await queue.claim(upTo: 1).count, 0)
    }

    // Covers .invalidInput
    @Test func mistakesAreReported() async throws {
        let queue = try await queue()
        await expectInvalidInput {
            try await queue.realm.write { _ = try $0.enqueue(Parcel("a"), priority: 101) }
        }
        await expectInvalidInput {
            try await queue.realm.write { tx in
                _ = try tx.enqueue(Parcel("a"), at: Date(timeIntervalSinceReferenceDate: .nan))
            }
        }
        await expectInvalidInput {
            try await queue.realm.write { tx in
                let parcel = Parcel("a")
                try tx.add(parcel)
                try tx.enqueue(parcel)
            }
        }
        let unlisted = try await self.queue([Parcel.self])
        await expectInvalidInput { _ = try await unlisted.claim(upTo: 1) }
        await expectInvalidInput { try await unlisted.run { _ in } }
        await expectInvalidInput { try await unlisted.pause() }
        let joining = try await self.queue(nil)
        expectEqual(try await joining.claim(upTo: 1).count, 0)
        expectEqual(try await joining.claim(upTo: 0).count, 0)
    }
}

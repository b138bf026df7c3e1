import Foundation
import Regnum
import RegnumTestSupport
import RegnumTesting
import Synchronization
import Testing

@testable import RegnumTestModels
@testable import RegnumWorkers

/// Handlers of a queue. Nothing depends on real time.
@Suite struct JobRunTests {
    let clock = ManualClock()
    let journal = Journal()

    func queue(
        in realm: Realm? = nil, _ change: (inout JobOptions) -> Void = { _ in }
    ) async throws -> JobQueue<Parcel> {
        var options = JobOptions()
        options.time = clock.time
        options.timeout = .seconds(1_000_000)
        options.retry = RetryPolicy(attempts: 3, delay: .seconds(10), jitter: 0)
        options.logger = nil
        change(&options)
        let realm = if let realm { realm } else { try await Realm.temporary(workerTypes) }
        return JobQueue(in: realm, options: options)
    }

    /// Runs a queue until `body` returns.
    func running(
        _ queue: JobQueue<Parcel>,
        _ handler: @escaping @Sendable (JobRun<Parcel>) async throws -> Void,
        during body: () async throws -> Void
    ) async throws {
        let run = Task { try await queue.run(handler) }
        do {
            try await body()
        } catch {
            run.cancel()
            throw error
        }
        run.cancel()
        try await run.value
    }

    @Test func jobsRunInOrderAndNewOnesWakeTheWorker() async throws {
        let queue = try await queue { $0.concurrency = 1 }
        try await queue.realm.write { tx in
            try tx.enqueue(Parcel("a"))
            try tx.enqueue(Parcel("b"), priority: 1)
        }
        try await running(queue) { [journal] run in
            journal.add(run.job.label)
        } during: {
            expectEqual(await journal.entries(2), ["b", "a"])
            for number in 0..<20 {
                try await queue.realm.write { try $0.enqueue(Parcel("\(number)")) }
                expectEqual(await journal.entries(3 + number).last, "\(number)")
            }
            try await wait(for: queue.realm.objects(Parcel.self)) { $0.isEmpty }
        }
    }

    @Test(arguments: [0, 7, 200])
    func manyJobsRunOnceEach(prefetch: Int) async throws {
        let realm = try await Realm.temporary(workerTypes)
        let queues = [
            try await queue(in: realm) { $0.prefetch = prefetch },
            try await queue(in: realm) { $0.prefetch = prefetch },
        ]
        try await realm.write { tx in
            for number in 0..<500 { try tx.enqueue(Parcel("\(number)")) }
        }
        let handler: @Sendable (JobRun<Parcel>) async throws -> Void = { [journal] run in
            journal.add(run.job.label)
        }
        try await running(queues[0], handler) {
            try await running(queues[1], handler) {
                try await wait(for: realm.objects(Parcel.self)) { $0.isEmpty }
            }
        }
        expectEqual(Set(journal.entries).count, 500)
        expectEqual(journal.entries.count, 500)
    }

    @Test func noMoreHandlersRunThanAllowed() async throws {
        let queue = try await queue {
            $0.concurrency = 3
            $0.prefetch = 10
        }
        try await queue.realm.write { tx in
            for number in 0..<50 { try tx.enqueue(Parcel("\(number)")) }
        }
        let count = SharedCount()
        try await self.running(queue) { [journal] run in
            count.begin()
            await Task.yield()
            count.end()
            journal.add(run.job.label)
        } during: {
            await journal.entries(50)
        }
        expectTrue((1...3).contains(count.most), "\(count.most)")
    }

    @Test func failedJobIsRetriedWhenItsTimeHasCome() async throws {
        let queue = try await queue()
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        try await running(queue) { [journal] run in
            journal.add("\(run.attempt) \(run.isLastAttempt)")
            throw Failure()
        } during: {
            try await clock.advance(by: .seconds(10)) {
                try await queue.counts().dead == 1
            }
        }
        expectEqual(journal.entries, ["1 false", "2 false", "3 true"])
    }

    @Test func jobThatIsScheduledRunsAtItsDate() async throws {
        let queue = try await queue()
        let date = clock.date + 100
        try await queue.realm.write { try $0.enqueue(Parcel("a"), at: date) }
        try await running(queue) { [journal, clock] run in
            journal.add("\(clock.date >= date)")
        } during: {
            try await clock.advance(by: .seconds(30)) { journal.entries.count == 1 }
        }
        expectEqual(journal.entries, ["true"])
    }

    @Test func finishingWritesBothOrNothing() async throws {
        let queue = try await queue()
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        try await running(queue) { run in
            let attempt = run.attempt
            try await run.finish { tx in
                try tx.add(Receipt("attempt \(attempt)"))
                if attempt == 1 { throw Failure() }
            }
            // no effect, because the job is finished
            throw Failure()
        } during: {
            try await clock.advance(by: .seconds(10)) {
                !queue.realm.snapshot().objects(Receipt.self).isEmpty
            }
            try await wait(for: queue.realm.objects(Parcel.self)) { $0.isEmpty }
        }
        expectEqual(
            queue.realm.snapshot().objects(Receipt.self).map(\.text), ["attempt 2"])
    }

    @Test func lostClaimCanNeitherFinishNorReport() async throws {
        let queue = try await queue()
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        try await running(queue) { [journal] run in
            if run.attempt == 1 {
                // as if the claim had expired and another worker had the job
                try await run.queue.realm.write { tx in
                    let job = try requireValue(tx.object(Parcel.self, forPrimaryKey: run.claim.id))
                    job.jobToken &+= 1
                    job.jobLane = 0
                    job.jobDueAt = .distantFuture
                }
                for step in ["finish", "report"] {
                    do {
                        if step == "finish" {
                            try await run.finish { tx in try tx.add(Receipt("no")) }
                        } else {
                            try await run.report(progress: 0.5)
                        }
                        journal.add("\(step) succeeded")
                    } catch WorkerError.claimLost {
                        journal.add("\(step) failed")
                    }
                }
            } else {
                journal.add("again")
            }
        } during: {
            expectEqual(Set(await journal.entries(3)), ["finish failed", "report failed", "again"])
            try await wait(for: queue.realm.objects(Parcel.self)) { $0.isEmpty }
        }
        expectEqual(queue.realm.snapshot().objects(Receipt.self).count, 0)
    }

    @Test func progressIsReported() async throws {
        let queue = try await queue()
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        let gate = Gate()
        try await running(queue) { run in
            try await run.report(progress: 0.5)
            await gate.pass()
        } during: {
            try await wait(for: queue.jobs(.running)) { $0.first?.progress == 0.5 }
            gate.open()
            try await wait(for: queue.realm.objects(Parcel.self)) { $0.isEmpty }
        }
    }

    @Test func claimsAreRenewedWhileHandlersRun() async throws {
        let queue = try await queue { $0.timeout = .seconds(30) }
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        let gate = Gate()
        try await running(queue) { [journal] run in
            journal.add("\(run.attempt)")
            await gate.pass()
        } during: {
            await journal.entries(1)
            let first = try requireValue(queue.jobs(.running).current.first?.dueAt)
            try await clock.advance(by: .seconds(10)) {
                queue.jobs(.running).current.first?.dueAt ?? first >= first + 100
            }
            gate.open()
            try await wait(for: queue.realm.objects(Parcel.self)) { $0.isEmpty }
        }
        expectEqual(journal.entries, ["1"])
    }

    @Test func claimThatHasExpiredStaysWithItsWorkerIfNoneTookTheJob() async throws {
        let queue = try await queue { $0.concurrency = 2 }
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        let gate = Gate()
        try await running(queue) { [journal] run in
            journal.add("\(run.job.label) \(run.attempt)")
            if run.job.label == "a" { await gate.pass() }
        } during: {
            await journal.entries(1)
            let date = clock.date
            try await queue.realm.write { tx in
                for job in queue.jobs(.running, in: tx) { job.jobDueAt = date - 1 }
                try tx.enqueue(Parcel("b"))
            }
            await journal.entries(2)
            try await wait(for: queue.jobs(.running)) { ($0.first?.dueAt ?? date) > date }
            gate.open()
            try await wait(for: queue.realm.objects(Parcel.self)) { $0.isEmpty }
        }
        expectEqual(journal.entries, ["a 1", "b 1"])
    }

    /// A claim that is found to be lost is logged, but not one that was just ended.
    @Test func claimsThatWereEndedAreNotTakenForLost() async throws {
        let queue = try await queue()
        try await queue.realm.write { tx in
            for label in ["a", "b"] { try tx.enqueue(Parcel(label)) }
        }
        let board = JobBoard<Parcel>()
        board.add(try await queue.claim(upTo: 2))
        let first = try #require(await board.next())
        let second = try #require(await board.next())
        let run = JobRun(queue: queue, claim: second, board: board)
        do {
            try await run.finish { (_) -> Void in throw Failure() }
            Issue.record("finished")
        } catch is Failure {}
        expectEqual(Set(board.held), [first.claimed, second.claimed])
        try await run.finish { _ in }
        board.end(first, .done)
        expectEqual(board.held, [])
        for claim in [first, second] { expectTrue(!board.settle(claim.claimed)) }
    }

    @Test func pausedQueueContinuesWhenItIsResumed() async throws {
        let queue = try await queue()
        try await queue.pause()
        try await running(queue) { [journal] run in
            journal.add(run.job.label)
        } during: {
            try await queue.realm.write { try $0.enqueue(Parcel("a")) }
            expectEqual(journal.entries, [])
            expectEqual(try await queue.counts().ready, 1)
            try await queue.resume()
            await journal.entries(1)
        }
    }

    @Test(arguments: [false, true])
    func cancelledRunReleasesItsJobs(throwsOther: Bool) async throws {
        let queue = try await queue {
            $0.concurrency = 2
            $0.prefetch = 5
            $0.retry.attempts = 1
        }
        try await queue.realm.write { tx in
            for number in 0..<10 { try tx.enqueue(Parcel("\(number)")) }
        }
        try await running(queue) { [journal] run in
            journal.add(run.job.label)
            do { try await waitForCancellation() } catch { throw throwsOther ? Failure() : error }
        } during: {
            await journal.entries(2)
        }
        let counts = try await queue.counts()
        expectTrue(counts.ready == 10 && counts.running == 0)
        expectTrue(queue.jobs(.ready).current.allSatisfy { $0.attempts == 0 })
        expectEqual(queue.realm.stats().streams, 0)
    }

    @Test func handlerThatCompletesAfterTheCancellationCounts() async throws {
        let queue = try await queue { $0.concurrency = 1 }
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        try await running(queue) { [journal] run in
            journal.add(run.job.label)
            try? await waitForCancellation()
        } during: {
            await journal.entries(1)
        }
        expectEqual(queue.realm.snapshot().objects(Parcel.self).count, 0)
    }

    @Test func jobThatIsFinishedAfterTheCancellationIsFinished() async throws {
        let queue = try await queue { $0.concurrency = 1 }
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        try await running(queue) { [journal] run in
            journal.add(run.job.label)
            try? await waitForCancellation()
            try await run.finish { tx in try tx.add(Receipt("a")) }
        } during: {
            await journal.entries(1)
        }
        expectEqual(queue.realm.snapshot().objects(Parcel.self).count, 0)
        expectEqual(queue.realm.snapshot().objects(Receipt.self).count, 1)
    }

    @Test func endsOfJobsDoNotWaitForTheLastHandler() async throws {
        let queue = try await queue {
            $0.concurrency = 2
            $0.prefetch = 3
        }
        try await queue.realm.write { tx in
            try tx.enqueue(Parcel("slow"))
            try tx.enqueue(Parcel("quick"))
            for _ in 0..<3 { try tx.enqueue(Parcel("not begun")) }
        }
        let gate = Gate()
        let run = Task { [journal] in
            try await queue.run { run in
                journal.add(run.job.label)
                if run.job.label == "slow" { await gate.pass() }
                try? await waitForCancellation()
            }
        }
        expectEqual(Set(await journal.entries(2)), ["slow", "quick"])
        run.cancel()
        // while one handler doesn't return
        try await wait(for: queue.realm.objects(Parcel.self)) { jobs in
            !jobs.contains { $0.label == "quick" }
        }
        try await wait(for: queue.jobs(.ready)) { $0.count == 3 }
        expectEqual(queue.jobs(.running).current.map(\.label), ["slow"])
        gate.open()
        try await run.value
        expectEqual(queue.realm.snapshot().objects(Parcel.self).count, 3)
    }

    // Covers .closed
    @Test func runEndsWhenTheRealmIsClosed() async throws {
        let queue = try await queue()
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        let run = Task { [journal] in
            try await queue.run { run in
                journal.add(run.job.label)
                try await waitForCancellation()
            }
        }
        await journal.entries(1)
        await queue.realm.close()
        try await run.value
        await expect(.closed) { try await queue.run { _ in } }
    }
}

/// Counts the handlers that run at the same time.
private final class SharedCount: Sendable {
    private let state = Mutex((now: 0, most: 0))

    var most: Int { state.withLock { $0.most } }

    func begin() {
        state.withLock { state in
            state.now += 1
            state.most = max(state.most, state.now)
        }
    }

    func end() { state.withLock { $0.now -= 1 } }
}

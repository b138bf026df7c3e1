import Foundation
import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels
@testable import RegnumWorkers

/// Claims in advance of processes that die before they have begun the jobs.
@Suite struct JobPrefetchTests {
    let clock = ManualClock()

    private func queue(
        in realm: Realm, _ change: (inout JobOptions) -> Void = { _ in }
    ) -> JobQueue<Parcel> {
        var options = JobOptions()
        options.time = clock.time
        options.timeout = .seconds(1_000_000)
        options.retry = RetryPolicy(attempts: 1, delay: .seconds(10), jitter: 0)
        options.logger = nil
        change(&options)
        return JobQueue(in: realm, options: options)
    }

    private func add(_ labels: [String], to realm: Realm) async throws {
        try await realm.write { tx in for label in labels { try tx.enqueue(Parcel(label)) } }
    }

    @Test func jobThatHasNotBegunWhenItsProcessDiesIsNotGivenUp() async throws {
        let (folder, journal) = (try RealmFolder(), Journal())
        let configuration = folder.configuration("test.realm", workerTypes)
        let realm = try await Realm.open(configuration)
        try await add(["begun", "waiting", "waiting too"], to: realm)
        let queue = queue(in: realm) { options in
            options.concurrency = 1
            options.prefetch = 2
        }
        let run = Task {
            try await queue.run { run in
                journal.add(run.job.label)
                try await waitForCancellation()
            }
        }
        await journal.entries(1)
        // keeps the claims, as the death of the process does
        await realm.close()
        try await run.value
        clock.advance(by: .seconds(1_000_000))

        let next = JobQueue<Parcel>(in: try await Realm.open(configuration), options: queue.options)
        let last = Task { try await next.run { run in journal.add(run.job.label) } }
        try await wait(for: next.realm.objects(Parcel.self)) { $0.count == 1 }
        last.cancel()
        try await last.value
        expectEqual(journal.entries, ["begun", "waiting", "waiting too"])
        expectEqual(next.jobs(.dead).current.map(\.label), ["begun"])
    }

    @Test func jobThatIsDeletedBeforeItBeginsDoesNotRun() async throws {
        let queue = queue(in: try await Realm.temporary(workerTypes)) { options in
            options.concurrency = 1
            options.prefetch = 2
        }
        let (realm, journal, gate) = (queue.realm, Journal(), Gate())
        try await add(["begun", "deleted", "last"], to: realm)
        let run = Task {
            try await queue.run { run in
                journal.add(run.job.label)
                if run.job.label == "begun" { await gate.pass() }
            }
        }
        await journal.entries(1)
        expectEqual(queue.jobs(.running).current.count, 3)
        try await realm.write { tx in
            tx.delete(tx.objects(Parcel.self).where { $0.label == "deleted" })
        }
        gate.open()
        try await wait(for: realm.objects(Parcel.self)) { $0.isEmpty }
        run.cancel()
        try await run.value
        expectEqual(journal.entries, ["begun", "last"])
    }

    /// Claims hold versions, and nothing can be written while too many are held.
    @Test(arguments: [1, 5])
    func queuesLimitTheVersionsThatTheyHold(queueCount: Int) async throws {
        let (folder, journal, gate) = (try RealmFolder(), Journal(), Gate())
        var configuration = folder.configuration("test.realm", workerTypes)
        configuration.maximumNumberOfActiveVersions = 20
        let realm = try await Realm.open(configuration)
        let queue = queue(in: realm) { options in
            options.concurrency = 40
            options.prefetch = 40
        }
        try await add(["0"], to: realm)
        let handler = { @Sendable (run: JobRun<Parcel>) async throws in
            let label = run.job.label
            let next = (Int(label) ?? 0) + 1
            do {
                // so that each job is claimed at another version
                if next < 30 { try await realm.write { try $0.enqueue(Parcel("\(next)")) } }
                journal.add(label)
                await gate.pass()
                try await run.finish { tx in try tx.add(Receipt(label)) }
            } catch {
                journal.add("\(error)")
                throw error
            }
        }
        let runs = (0..<queueCount).map { _ in Task { try await queue.run(handler) } }
        var count = await journal.entries(1).count
        // until no other job begins
        while true {
            try await Task.sleep(for: .milliseconds(500))
            if journal.entries.count == count { break }
            count = journal.entries.count
        }
        gate.open()
        await journal.entries(30)
        for run in runs { run.cancel() }
        for run in runs { try await run.value }
        expectEqual(Set(journal.entries), Set((0..<30).map { "\($0)" }))
        let snapshot = realm.snapshot()
        expectEqual(snapshot.objects(Receipt.self).count, 30)
        expectEqual(snapshot.objects(Parcel.self).count, 0)
        await realm.close()
    }

    /// A report renews the claim, as the queue itself does.
    // Covers .busy
    @Test func progressIsReportedWhileTooManyVersionsAreHeld() async throws {
        let folder = try RealmFolder()
        var configuration = folder.configuration("test.realm", workerTypes)
        configuration.maximumNumberOfActiveVersions = 3
        let realm = try await Realm.open(configuration)
        let queue = queue(in: realm)
        try await add(["a"], to: realm)
        let claims = try await queue.claim(upTo: 1)
        let run = JobRun(queue: queue, claim: try requireValue(claims.first), board: JobBoard())
        var snapshots: [Snapshot] = []
        var code: Realm.Error.Code?
        while code == nil, snapshots.count < 10 {
            snapshots.append(realm.snapshot())
            code = await realmError { try await realm.write { try $0.add(Receipt("other")) } }?.code
        }
        expectEqual(code, .busy)
        try await run.report(progress: 0.5)
        expectEqual(queue.jobs(.running).current.map(\.progress), [0.5])
        withExtendedLifetime(snapshots) {}
        await realm.close()
    }

    @Test func expiredClaimInAdvanceDoesNotCount() async throws {
        let queue = queue(in: try await Realm.temporary(workerTypes))
        try await add(["a", "b", "c"], to: queue.realm)
        let rounds: [(claimed: [String], dead: [String])] = [
            (["a", "b", "c"], []),
            // no longer in advance, so that an attempt in which the process dies counts
            (["b"], ["a"]), (["c"], ["a", "b"]),
        ]
        for round in rounds {
            let claims = try await queue.exchange([], claimUpTo: 3, beginning: 1).claims
            expectEqual(claims.map(\.job.label), round.claimed)
            expectTrue(claims.allSatisfy { $0.attempt == 1 })
            expectEqual(queue.jobs(.dead).current.map(\.label), round.dead)
            clock.advance(by: .seconds(1_000_000))
        }
        expectEqual(try await queue.claim(upTo: 1).count, 0)
        expectEqual(try await queue.counts().dead, 3)
    }

    @Test func attemptClaimedInAdvanceCountsWhenItEnds() async throws {
        let queue = queue(in: try await Realm.temporary(workerTypes)) { $0.keepsFinished = true }
        try await add(["done", "failed", "released"], to: queue.realm)
        let claims = try await queue.exchange([], claimUpTo: 3, beginning: 0).claims
        expectEqual(queue.jobs(.running).current.map(\.attempts), [0, 0, 0])
        expectEqual(claims.map(\.attempt), [1, 1, 1])
        try await queue.finish([claims[0]])
        try await queue.fail(claims[1], Failure())
        try await queue.release([claims[2]])
        let objects = queue.realm.snapshot().objects(Parcel.self)
        expectEqual(objects.map(\.attempts), [1, 1, 0])
        expectEqual(objects.map(\.status), [.done, .dead, .ready])
    }

    /// Whether or not a report has counted the attempt.
    @Test func claimInAdvanceThatHasExpiredStaysWithItsWorkerIfNoneTookTheJob() async throws {
        let queue = queue(in: try await Realm.temporary(workerTypes))
        try await add(["a", "b"], to: queue.realm)
        let claims = try await queue.exchange([], claimUpTo: 2, beginning: 0).claims
        let board = JobBoard<Parcel>()
        board.add(claims)
        let run = JobRun(queue: queue, claim: claims[0], board: board)
        try await run.report(progress: 0.5)
        expectEqual(queue.jobs(.running).current.map(\.attempts), [1, 0])
        clock.advance(by: .seconds(1_000_000))
        let others = try await queue.exchange([], claimUpTo: 2, keeping: board.held).claims
        expectEqual(others.map(\.job.label), [])
        expectEqual(try await queue.finish(claims), [])
    }
}

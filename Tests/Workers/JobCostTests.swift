import Foundation
import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels
@testable import RegnumWorkers

/// The number of commits that jobs need, and the order in which they are found.
@Suite struct JobCostTests {
    private func queue(
        _ change: (inout JobOptions) -> Void = { _ in }
    ) async throws -> JobQueue<Parcel> {
        var options = JobOptions()
        options.time = ManualClock().time
        options.logger = nil
        change(&options)
        return JobQueue(in: try await Realm.temporary(workerTypes), options: options)
    }

    /// However the handlers are scheduled. Usually the jobs that end during a commit share the next
    /// one, so that there are fewer commits.
    @Test(arguments: [(1, 0), (1, 40), (8, 0), (8, 40)])
    func oneCommitEndsJobsAndClaimsOthers(concurrency: Int, prefetch: Int) async throws {
        let queue = try await queue { options in
            options.concurrency = concurrency
            options.prefetch = prefetch
        }
        let (realm, count) = (queue.realm, 300)
        try await realm.write { tx in
            for number in 0..<count { try tx.enqueue(Parcel("\(number)")) }
        }
        let before = realm.snapshot().version
        let run = Task { try await queue.run { _ in } }
        try await wait(for: realm.objects(Parcel.self)) { $0.isEmpty }
        run.cancel()
        try await run.value
        let commitCount = Int(realm.snapshot().version - before)
        // claims in advance are made for half of them at a time, and may have a commit of their own
        let maximum = count + 1 + (prefetch > 0 ? count / (prefetch / 2) : 0)
        expectTrue(commitCount <= maximum, "\(commitCount) commits")
        // the first claim, and the end of each job
        if concurrency == 1, prefetch == 0 { expectEqual(commitCount, count + 1) }
    }

    @Test func endsAreTakenTogether() async throws {
        let queue = try await queue()
        try await queue.realm.write { tx in
            for number in 0..<5 { try tx.enqueue(Parcel("\(number)")) }
        }
        let board = JobBoard<Parcel>()
        board.add(try await queue.claim(upTo: 5))
        for _ in 0..<3 {
            let claim = try requireValue(await board.next())
            board.end(claim, .done)
        }
        let (ended, busyCount, waitingCount) = board.takeEnded()
        expectEqual(ended.count, 3)
        expectTrue(busyCount == 0 && waitingCount == 2)
        expectEqual(board.takeEnded().ended.count, 0)
    }

    @Test func jobWithTheHighestPriorityIsFound() async throws {
        let queue = try await queue()
        let priorities = [0, 100, -1, 1, -100, 99, 2, -99, 0]
        try await queue.realm.write { tx in
            for priority in priorities { try tx.enqueue(Parcel("x"), priority: priority) }
        }
        for priority in priorities.sorted(by: >) {
            let claims = try await queue.claim(upTo: 1)
            expectEqual(claims.map(\.job.priority), [priority])
        }
        expectEqual(try await queue.claim(upTo: 1).count, 0)
    }

    /// Each claim makes some of them ready. What it reads doesn't grow with the number of the
    /// others, nor with that of the jobs that are ready already, even if all have one date.
    @Test(arguments: [0.001, 0])
    func aClaimReadsTheFirstOfManyDueJobs(secondsApart: Double) async throws {
        let clock = ManualClock()
        let queue = try await queue { $0.time = clock.time }
        let (realm, limit, count) = (queue.realm, JobTable.maximumDueCount, 45_000)
        let date = clock.date
        try await realm.write { tx in
            for number in 0..<count {
                try tx.enqueue(Parcel("\(number)"), at: date + Double(number) * secondsApart)
            }
        }
        clock.advance(by: .seconds(60))
        for round in 1...3 {
            let before = realm.stats().queriedRows
            expectEqual(try await queue.claim(upTo: 1).count, 1)
            let read = realm.stats().queriedRows - before
            expectTrue(read <= limit + 4_096, "\(read) objects in round \(round)")
            let counts = try await queue.counts()
            expectEqual(counts.ready + counts.running, round * limit)
        }
        // the earliest ones
        let rest = queue.jobs(.scheduled).current.compactMap { Int($0.label) }
        expectEqual(rest.min(), 3 * limit)
        await realm.close()
    }
}

import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels
@testable import RegnumWorkers

/// Queues and consumers that are stopped without cancelling their handlers.
@Suite struct StopTests {
    private let clock = ManualClock()
    private let journal = Journal()
    private let gate = Gate()
    private let stop = Wakeup()

    private func queue(prefetch: Int = 0) async throws -> JobQueue<Parcel> {
        var options = JobOptions()
        options.concurrency = 1
        options.prefetch = prefetch
        options.time = clock.time
        options.timeout = .seconds(30)
        options.logger = nil
        let realm = try await Realm.temporary(workerTypes)
        try await realm.write { tx in
            for label in ["a", "b", "c"] { try tx.enqueue(Parcel(label)) }
        }
        return JobQueue(in: realm, options: options)
    }

    private func handle(_ run: JobRun<Parcel>) async {
        journal.add(run.job.label)
        await gate.pass()
        journal.add("\(run.job.label) cancelled: \(Task.isCancelled)")
    }

    @Test(arguments: [0, 10])
    func aStoppedQueueFinishesWhatRuns(prefetch: Int) async throws {
        let queue = try await queue(prefetch: prefetch)
        let run = Task { try await queue.run(until: stop) { await handle($0) } }
        await journal.entries(1)
        stop.set()
        // the claims that weren't begun are released while the handler still runs
        try await wait(for: queue.jobs(.ready)) { $0.count == 2 }
        expectEqual(try await queue.counts().running, 1)
        gate.open()
        try await run.value
        expectEqual(journal.entries, ["a", "a cancelled: false"])
        let counts = try await queue.counts()
        expectTrue(counts.ready == 2 && counts.unfinished == 2)
        expectEqual(queue.realm.snapshot().objects(Parcel.self).map(\.attempts), [0, 0])
    }

    @Test func theClaimOfAStoppedQueueIsRenewed() async throws {
        let queue = try await queue()
        let run = Task { try await queue.run(until: stop) { await handle($0) } }
        await journal.entries(1)
        stop.set()
        // as long as the handler runs, which is longer than the timeout
        for _ in 0..<6 {
            let version = queue.realm.stats().version
            try await clock.advance(by: .seconds(10)) { queue.realm.stats().version > version }
        }
        gate.open()
        try await run.value
        expectEqual(try await queue.counts().unfinished, 2)
    }

    @Test func aStoppedQueueCanBeCancelled() async throws {
        let queue = try await queue()
        let run = Task {
            try await queue.run(until: stop) { [journal] run in
                journal.add(run.job.label)
                try await waitForCancellation()
            }
        }
        await journal.entries(1)
        stop.set()
        run.cancel()
        try await run.value
        expectEqual(try await queue.counts().ready, 3)
    }

    @Test func aQueueThatIsStoppedBeforeItRunsStartsNothing() async throws {
        let queue = try await queue()
        stop.set()
        try await queue.run(until: stop) { await handle($0) }
        expectEqual(journal.entries, [])
        expectEqual(try await queue.counts().ready, 3)
    }

    @Test func aStoppedConsumerFinishesWhatRuns() async throws {
        let world = try await ConsumerWorld()
        try await world.add("a")
        let run = Task { [stop, journal, gate] in
            try await world.realm.consume(
                Memo.self, as: "mailer", options: world.options, until: stop
            ) { batch in
                journal.add("\(batch.inserted.map(\.text))")
                await gate.pass()
                journal.add("cancelled: \(Task.isCancelled)")
            }
        }
        await journal.entries(1)
        try await world.add("b")
        stop.set()
        // time in which the handler would be cancelled
        for _ in 0..<50 { try await world.realm.write { tx in try tx.add(Receipt("x")) } }
        gate.open()
        try await run.value
        expectEqual(journal.entries, [#"["a"]"#, "cancelled: false"])
        let status = try requireValue(try await world.status())
        expectTrue(status.leaseExpiresAt == nil && status.attempts == 0)
        // the next one gets the rest
        try await world.consuming { [journal] batch in
            journal.add("\(batch.inserted.map(\.text))")
        } during: {
            expectEqual(await journal.entries(3).last, #"["b"]"#)
        }
    }

    @Test func aConsumerThatWaitsIsStoppedAtOnce() async throws {
        let world = try await ConsumerWorld()
        try await world.add("a")
        let stops = [Wakeup(), Wakeup()]
        // one of them waits for the lease, the other one for its second attempt
        let runs = stops.map { stop in
            Task { [journal] in
                try await world.realm.consume(
                    Memo.self, as: "mailer", options: world.options, until: stop
                ) { _ in
                    journal.add("attempt")
                    throw Failure()
                }
            }
        }
        try await world.wait { $0.attempts == 1 }
        for stop in stops { stop.set() }
        for run in runs { try await run.value }
        let status = try requireValue(try await world.status())
        expectTrue(status.leaseExpiresAt == nil && status.attempts >= 1)
        expectEqual(journal.entries.count, status.attempts)
    }

    /// Whose changes are delivered one at a time, because they failed together.
    @Test(arguments: [false, true])
    func anEndedConsumerBeginsNoOtherChange(isCancelled: Bool) async throws {
        let world = try await ConsumerWorld()
        try await world.consuming { _ in
        } during: {
            try await world.saved()
        }
        for text in ["a", "b", "c"] { try await world.add(text) }
        let run = Task { [stop, journal, gate] in
            try await world.realm.consume(
                Memo.self, as: "mailer", options: world.options, until: stop
            ) { batch in
                if batch.elements.count > 1 { throw Failure() }
                for memo in batch.inserted { journal.add(memo.text) }
                await gate.pass()
            }
        }
        await journal.entries(1)
        if isCancelled { run.cancel() } else { stop.set() }
        gate.open()
        try await run.value
        expectEqual(journal.entries, ["a"])
        let status = try requireValue(try await world.status())
        expectTrue(status.attempts == 0 && status.leaseExpiresAt == nil)
    }

    @Test func aConsumerThatIsStoppedBeforeItRunsDeliversNothing() async throws {
        let world = try await ConsumerWorld()
        try await world.add("a")
        stop.set()
        try await world.realm.consume(
            Memo.self, as: "mailer", options: world.options, until: stop
        ) { [journal] _ in journal.add("a") }
        expectEqual(journal.entries, [])
    }
}

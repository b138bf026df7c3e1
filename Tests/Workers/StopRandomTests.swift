import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels
@testable import RegnumWorkers

/// Queues and consumers that are stopped or cancelled at random moments, and replaced. Their
/// handlers neither fail nor end early, so nothing is handled twice.
@Suite(.timeLimit(.minutes(20))) struct StopRandomTests {
    /// A call of `run` or `consume`.
    private struct Call {
        let stop: Wakeup
        let task: Task<Void, any Error>

        init(_ body: @escaping @Sendable (Wakeup) async throws -> Void) {
            let stop = Wakeup()
            self.stop = stop
            task = Task { try await body(stop) }
        }

        /// Stops or cancels the call, once or several times, and waits for its end.
        func end(_ random: inout SeededRandom) async throws {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                if Bool.random(using: &random) { stop.set() } else { task.cancel() }
                await pass(Int.random(in: 0...20, using: &random))
            }
            try await task.value
        }
    }

    @Test func endedQueuesHandleEachJobOnce() async throws {
        var random = SeededRandom()
        let (realm, journal) = (try await Realm.temporary(workerTypes), Journal())
        let total = Effort.count(gate: 300, soak: 10_000)
        try await realm.write { tx in
            for number in 0..<total { try tx.enqueue(Parcel("\(number)")) }
        }
        var calls = (0..<3).map { _ in startQueue(realm, journal, &random) }
        while journal.entries.count < total {
            let count = journal.entries.count + Int.random(in: 1...8, using: &random)
            await journal.entries(min(count, total))
            let index = Int.random(in: calls.indices, using: &random)
            try await calls[index].end(&random)
            calls[index] = startQueue(realm, journal, &random)
        }
        for call in calls { try await call.end(&random) }
        expectEqual(journal.entries.count, total)
        expectEqual(Set(journal.entries).count, total)
        expectEqual(realm.snapshot().objects(Parcel.self).count, 0)
    }

    private func startQueue(
        _ realm: Realm, _ journal: Journal, _ random: inout SeededRandom
    ) -> Call {
        var options = JobOptions()
        options.concurrency = Int.random(in: 1...4, using: &random)
        options.prefetch = Int.random(in: 0...5, using: &random)
        options.time = ManualClock().time
        options.logger = nil
        let queue = JobQueue<Parcel>(in: realm, options: options)
        let turnCount = Int.random(in: 0...5, using: &random)
        return Call { stop in
            try await queue.run(until: stop) { run in
                journal.add(run.job.label)
                await pass(turnCount)
            }
        }
    }

    @Test func endedConsumersHandleEachChangeOnceAndInOrder() async throws {
        var random = SeededRandom()
        let world = try await ConsumerWorld()
        let journal = world.journal
        var calls = (0..<3).map { _ in startConsumer(world, &random) }
        var total = 0
        for _ in 0..<Effort.count(gate: 40, soak: 1_000) {
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                try await world.add("\(total)")
                total += 1
            }
            let count = min(journal.entries.count, total)
            await journal.entries(Int.random(in: count...total, using: &random))
            let index = Int.random(in: calls.indices, using: &random)
            try await calls[index].end(&random)
            calls[index] = startConsumer(world, &random)
        }
        await journal.entries(total)
        for call in calls { try await call.end(&random) }
        expectEqual(journal.entries, (0..<total).map { "\($0)" })
        let status = try requireValue(try await world.status())
        expectTrue(status.attempts == 0 && status.deadLetters == 0 && status.leaseExpiresAt == nil)
    }

    private func startConsumer(_ world: ConsumerWorld, _ random: inout SeededRandom) -> Call {
        let turnCount = Int.random(in: 0...5, using: &random)
        return Call { stop in
            try await world.realm.consume(
                Memo.self, as: "mailer", options: world.options, until: stop
            ) { batch in
                for memo in batch.inserted { world.journal.add(memo.text) }
                await pass(turnCount)
            }
        }
    }
}

/// Lets other tasks run.
private func pass(_ turnCount: Int) async {
    for _ in 0..<turnCount { await Task.yield() }
}

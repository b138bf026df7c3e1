import RegnumTestSupport
import Testing

/// Processes that run jobs and consumers, or remove what expires, are killed at random moments and
/// replaced.
@Suite(.serialized) struct WorkerKillTests {
    @Test func killedWorkersLoseNoJobAndRepeatOnlyWhatTheyHadBegun() async throws {
        var random = SeededRandom()
        let seed = random.next()
        let report = try await withChildren { group in
            try await JobKillRound(group, seed).run(
                kills: Effort.count(gate: 10, soak: 100),
                errands: Effort.count(gate: 300, soak: 20_000))
        }
        print("kill -9 of workers: \(report)")
    }

    @Test func killedConsumersSaveEachChangeOnceAndInOrder() async throws {
        var random = SeededRandom()
        let seed = random.next()
        let report = try await withChildren { group in
            try await ConsumerKillRound(group, seed).run(
                kills: Effort.count(gate: 3, soak: 60))
        }
        print("kill -9 of consumers: \(report)")
    }

    @Test func killedProcessesRemoveEachExpiredObjectOnce() async throws {
        var random = SeededRandom()
        let seed = random.next()
        let report = try await withChildren { group in
            try await ExpiryKillRound(group, seed).run(
                kills: Effort.count(gate: 5, soak: 60))
        }
        print("kill -9 of processes that remove expired objects: \(report)")
    }
}

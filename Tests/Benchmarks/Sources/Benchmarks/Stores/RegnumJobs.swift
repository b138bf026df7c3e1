import Foundation
import Regnum
import RegnumWorkers
import Synchronization

/// A job that does nothing.
final class NumberedJob: Job {
    @Persisted var number: Int

    convenience init(_ number: Int) {
        self.init()
        self.number = number
    }
}

/// A queue of jobs in a realm.
struct RegnumJobs: Sendable {
    private let realm: Realm
    private let queue: JobQueue<NumberedJob>

    init(_ file: URL, concurrency: Int, prefetch: Int, isSynced: Bool) async throws {
        var configuration = Realm.Configuration(
            location: .file(file), objectTypes: [NumberedJob.self] + Workers.models)
        configuration.durability = isSynced ? .full : .relaxed(within: .seconds(1))
        realm = try await Realm.open(configuration)
        var options = JobOptions()
        options.concurrency = concurrency
        options.prefetch = prefetch
        queue = JobQueue(in: realm, options: options)
    }

    /// Adds jobs in one transaction.
    func add(_ numbers: Range<Int>) async throws {
        try await realm.write { tx in
            for number in numbers { try tx.enqueue(NumberedJob(number)) }
        }
    }

    /// Runs all jobs, `count` of them, and returns the sum of their numbers. The end of the last
    /// one is committed when it returns.
    func work(_ count: Int) async throws -> Int {
        let total = Total(count)
        let run = Task { [queue] in
            try await queue.run { run in total.add(run.job.number) }
        }
        let sum = await total.value
        run.cancel()
        try await run.value
        return sum
    }

    func count() async throws -> Int {
        try await realm.read { tx in tx.objects(NumberedJob.self).count }
    }
}

/// The sum of the numbers of jobs that run at the same time.
private final class Total: Sendable {
    private struct State {
        var missing: Int
        var sum = 0
        var waiter: CheckedContinuation<Int, Never>?
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(missing: count)) }

    func add(_ number: Int) {
        let done = state.withLock { state in
            state.sum += number
            state.missing -= 1
            return state.missing == 0 ? state.waiter.map { ($0, state.sum) } : nil
        }
        done?.0.resume(returning: done?.1 ?? 0)
    }

    /// The sum of all numbers, once they are there.
    var value: Int {
        get async {
            await withCheckedContinuation { continuation in
                let sum: Int? = state.withLock { state in
                    if state.missing <= 0 { return state.sum }
                    state.waiter = continuation
                    return nil
                }
                if let sum { continuation.resume(returning: sum) }
            }
        }
    }
}

import Logging
import RegnumStore
import RegnumTestSupport
import RegnumTesting
import Synchronization
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels
@testable import RegnumWorkers

/// Queues, consumers and removals that are stopped or cancelled while writes fail. Time passes only
/// where a test advances the clock.
@Suite(.timeLimit(.minutes(8))) struct StopFailureTests {
    private let clock = ManualClock()
    private let journal = Journal()
    /// What is logged.
    private let log = Journal()
    private let gate = Gate()
    private let stop = Wakeup()
    private let faults = FaultInjector()
    private let folder: RealmFolder
    private let realm: Realm

    init() async throws {
        folder = try RealmFolder()
        var configuration = folder.configuration("test.realm", workerTypes)
            .testing(faults: faults)
        configuration.writeTimeout = .seconds(1)
        configuration.logger = nil
        realm = try await Realm.open(configuration)
    }

    private var logger: Logger {
        Logger(label: "test") { [log] _ in LineHandler { _, text in log.add(text) } }
    }

    private var consumerOptions: ConsumerOptions {
        var options = ConsumerOptions()
        options.time = clock.time
        options.lease = .seconds(12)
        options.logger = logger
        return options
    }

    /// A queue with the jobs a, b and c.
    private func queue(concurrency: Int = 1) async throws -> JobQueue<Parcel> {
        try await realm.write { tx in
            for label in ["a", "b", "c"] { try tx.enqueue(Parcel(label)) }
        }
        var options = JobOptions()
        options.concurrency = concurrency
        options.time = clock.time
        options.timeout = .seconds(30)
        options.logger = logger
        return JobQueue(in: realm, options: options)
    }

    /// Starts a queue, whose handlers wait for the gate.
    private func start(_ queue: JobQueue<Parcel>) -> Task<Void, any Error> {
        Task { [stop, journal, gate] in
            try await queue.run(until: stop) { run in
                journal.add(run.job.label)
                await gate.pass()
            }
        }
    }

    /// Waits for a task, and cancels it when the time limit of the test has passed.
    private func end(of task: Task<Void, any Error>) async throws {
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    // MARK: Consumers

    /// The reason why writes fail for some time.
    enum Problem {
        case diskFull, busy
    }

    @Test(arguments: [Problem.diskFull, .busy], [false, true])
    func aStoppedConsumerDoesNotWaitForItsWrite(
        problem: Problem, stopsFirst: Bool
    ) async throws {
        try await realm.write { try $0.add(Memo("a")) }
        let run = Task { [realm, consumerOptions, stop, journal, gate] in
            try await realm.consume(
                Memo.self, as: "mailer", options: consumerOptions, until: stop
            ) { _ in
                journal.add("a")
                await gate.pass()
            }
        }
        await journal.entries(1)
        var turn: WriteTurn?
        switch problem {
        case .diskFull: faults.writeFailure = .diskFull
        case .busy: turn = try await realm.core.coordinator.beginWrite()
        }
        if stopsFirst { stop.set() }
        gate.open()
        await log.entries(1)
        stop.set()
        try await end(of: run)
        faults.clear()
        if let turn { try await realm.core.coordinator.abandon(turn) }

        // the change is delivered again, once the lease has expired
        expectNil(try requireValue(try await realm.consumers().first).cursor)
        clock.advance(by: .seconds(12))
        let next = Task { [realm, consumerOptions, journal] in
            try await realm.consume(Memo.self, as: "mailer", options: consumerOptions) { _ in
                journal.add("again")
            }
        }
        expectEqual(await journal.entries(2), ["a", "again"])
        next.cancel()
        try await end(of: next)
    }

    @Test func anInterruptedHandlerOfAStoppedConsumerHasNotFailed() async throws {
        try await realm.write { try $0.add(Memo("a")) }
        var options = consumerOptions
        options.retry = RetryPolicy(attempts: 1)
        let run = Task { [realm, options, stop, journal, gate] in
            try await realm.consume(Memo.self, as: "mailer", options: options, until: stop) { _ in
                journal.add("a")
                await gate.pass()
                throw CancellationError()
            }
        }
        await journal.entries(1)
        stop.set()
        gate.open()
        try await end(of: run)
        let status = try requireValue(try await realm.consumers().first)
        expectTrue(status.attempts == 0 && status.deadLetters == 0)
        expectTrue(status.cursor == nil && status.leaseExpiresAt == nil)
    }

    // MARK: Queues

    @Test func aStopEndsTheDelayAfterAFailedWrite() async throws {
        let queue = try await queue()
        faults.writeFailure = .diskFull
        let run = start(queue)
        await log.entries(1)
        stop.set()
        try await end(of: run)
        expectEqual(journal.entries, [])
        expectEqual(try await queue.counts().ready, 3)
    }

    @Test(arguments: [false, true])
    func aStoppedQueueWaitsForItsLastWriteForALimitedTime(isFreed: Bool) async throws {
        let queue = try await queue()
        let run = start(queue)
        await journal.entries(1)
        faults.writeFailure = .diskFull
        stop.set()
        gate.open()
        await log.entries(1)
        if isFreed { faults.clear() }
        let ended = Task { [journal] in
            try await run.value
            journal.add("ended")
        }
        while journal.entries.last != "ended" {
            // not during a write, whose time counts too
            if clock.sleeperCount > 0 { clock.advance(by: .seconds(10)) }
            try await Task.sleep(for: .milliseconds(1))
        }
        try await end(of: ended)
        faults.clear()
        expectEqual(journal.entries, ["a", "ended"])
        // otherwise its claim expires
        clock.advance(by: .seconds(30))
        let claims = try await queue.claim(upTo: 3)
        expectEqual(Set(claims.map(\.job.label)), isFreed ? ["b", "c"] : ["a", "b", "c"])
    }

    @Test func theLimitOfRepeatedWritesIncludesTheirTime() async throws {
        let count = Atomic(0)
        let error = await failure(of: { [clock] in
            try await repeating(clock, for: .seconds(30)) { _ in
            } _: { () -> Void in
                count.wrappingAdd(1, ordering: .relaxed)
                clock.advance(by: .seconds(40))
                throw Realm.Error(.busy, "Another process is writing.")
            }
        })
        expectEqual((error as? Realm.Error)?.code, .busy)
        expectEqual(count.load(ordering: .relaxed), 1)
    }

    // Covers .outcomeUnknown
    @Test func anErrorAfterAStopIsThrownWhenTheHandlersHaveFinished() async throws {
        let queue = try await queue(concurrency: 2)
        let gates = ["a": Gate(), "b": Gate()]
        let run = Task { [stop, journal] in
            try await queue.run(until: stop) { run in
                journal.add(run.job.label)
                await gates[run.job.label]?.pass()
                journal.add("\(run.job.label) cancelled: \(Task.isCancelled)")
            }
        }
        expectEqual(Set(await journal.entries(2)), ["a", "b"])
        stop.set()
        faults.syncFailure = .ioError
        gates["a"]?.open()
        await log.entries(1)
        // time in which the other handler would be cancelled
        for _ in 0..<50 { try await Task.sleep(for: .milliseconds(1)) }
        faults.clear()
        gates["b"]?.open()
        await expect(.outcomeUnknown) { try await end(of: run) }
        expectEqual(journal.entries.suffix(2), ["a cancelled: false", "b cancelled: false"])
        let counts = try await queue.counts()
        expectTrue(counts.ready == 1 && counts.unfinished == 1, "\(counts)")
    }

    // Covers .outcomeUnknown
    @Test func anErrorAfterACancellationIsThrown() async throws {
        let queue = try await queue()
        let run = start(queue)
        await journal.entries(1)
        run.cancel()
        faults.syncFailure = .ioError
        gate.open()
        await expect(.outcomeUnknown) { try await end(of: run) }
        faults.clear()
    }

    @Test func anInterruptedHandlerOfAStoppedQueueHasNotFailed() async throws {
        var options = try await queue().options
        options.retry = RetryPolicy(attempts: 1)
        let queue = JobQueue<Parcel>(in: realm, options: options)
        let run = Task { [stop, journal, gate] in
            try await queue.run(until: stop) { run in
                journal.add(run.job.label)
                await gate.pass()
                throw CancellationError()
            }
        }
        await journal.entries(1)
        stop.set()
        gate.open()
        try await end(of: run)
        expectEqual(try await queue.counts().ready, 3)
        expectEqual(realm.snapshot().objects(Parcel.self).map(\.attempts), [0, 0, 0])
    }

    @Test func aStoppedQueueEndsWhenTheRealmIsClosed() async throws {
        let queue = try await queue()
        let run = Task { [stop, journal] in
            try await queue.run(until: stop) { run in
                journal.add(run.job.label)
                try await waitForCancellation()
            }
        }
        await journal.entries(1)
        stop.set()
        // what the handler does is of no use any more
        await realm.close()
        try await end(of: run)
    }

    @Test func aJobThatWasClaimedInAdvanceDoesNotBeginAfterTheStop() async throws {
        let realm = try await Realm.temporary([Tripwire.self] + Workers.models)
        try await realm.write { tx in
            for label in ["a", "b"] {
                let job = Tripwire()
                job.label = label
                try tx.enqueue(job)
            }
        }
        var options = JobOptions()
        options.concurrency = 1
        options.prefetch = 1
        options.time = clock.time
        let queue = JobQueue<Tripwire>(in: realm, options: options)
        try await queue.run(until: stop) { [stop, journal] run in
            journal.add(run.job.label)
            // this task reads the next job before it calls the handler again
            Tripwire.setStopWhenRead(stop)
        }
        expectEqual(journal.entries, ["a"])
        expectEqual(try await queue.counts().ready, 1)
    }

    // MARK: Expiring objects

    // Covers .outcomeUnknown
    @Test func anErrorOfARemovalAfterItsCancellationIsThrown() async throws {
        let realm = try await Realm.open(
            folder.configuration("tickets.realm", [Ticket.self]).testing(faults: faults))
        var options = ExpiryOptions()
        options.time = clock.time
        options.logger = nil
        try await realm.write { [date = clock.date] tx in try tx.add(Ticket("a", date)) }
        faults.syncDelay = .seconds(3_600)
        faults.syncFailure = .ioError
        let run = Task { [realm, journal, options] in
            try await realm.removeExpired(Ticket.self, at: \.expiresAt, options: options) { _, _ in
                journal.add("body")
            }
        }
        await journal.entries(1)
        // the cancellation has to come while the commit is being synced
        while realm.core.coordinator.state.withLock({ !$0.isFlushing }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        run.cancel()
        faults.syncDelay = .zero
        await expect(.outcomeUnknown) { try await end(of: run) }
        faults.clear()
    }
}

/// A job that sets a flag when a certain task reads it.
private final class Tripwire: Job {
    @Persisted var label: String

    private static let armed = Mutex<(task: Int?, stop: Wakeup)?>(nil)

    required init() {
        super.init()
        let task = Self.currentTask
        Self.armed.withLock { armed in
            guard let wire = armed, wire.task == task else { return }
            wire.stop.set()
            armed = nil
        }
    }

    /// Sets a flag when the current task reads a job the next time.
    static func setStopWhenRead(_ stop: Wakeup) {
        let task = currentTask
        armed.withLock { $0 = (task, stop) }
    }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}

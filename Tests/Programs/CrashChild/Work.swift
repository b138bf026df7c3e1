import FoundationEssentials
import Glibc
import Regnum
import RegnumWorkers

/// A job. Its first handler takes that long, later ones return at once.
final class Errand: Job {
    @Persisted var number: Int
    @Persisted var milliseconds: Int
}

/// The number of times that an errand was finished.
final class Tally: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var count: Int
}

/// An object whose insertion is consumed.
final class Event: Object {
    @Persisted var number: Int
}

/// What the consumer of events writes for each of them.
final class Posting: Object {
    @Persisted var number: Int
    /// Whether the event's change was a dead letter.
    @Persisted var isLate: Bool
}

extension Realm {
    /// Opens the realm of workers.
    static func work(_ path: String, writeTimeout: Duration? = nil) async throws -> Realm {
        let types: [ObjectBase.Type] =
            [Errand.self, Tally.self, Event.self, Posting.self] + Workers.models
        var configuration = Configuration(
            location: .file(URL(filePath: path)), objectTypes: types)
        configuration.writeTimeout = writeTimeout
        return try await open(configuration)
    }
}

/// Runs errands until the signal, up to four at a time. Prints "begin NUMBER ATTEMPT SECONDS" when
/// a handler begins, with an attempt above 1 if a claim has expired before, and the date on which
/// its claim expires. As long as there is a file named "hold" beside the realm, handlers don't end.
/// They finish errands whose number is positive and not divisible by 3 themselves, with their tally
/// and an errand that has one of five unique keys, and print "done NUMBER" or, if the claim was
/// lost, "lost NUMBER".
func work(
    _ path: String, timeout: Duration, writeTimeout: Duration?,
    _ terminationSignal: TerminationSignal
) async throws {
    StandardInput.exitAtEnd()
    // until it has begun
    terminationSignal.onArrival { exit(0) }
    let realm = try await Realm.work(path, writeTimeout: writeTimeout)
    var options = JobOptions()
    options.concurrency = 4
    options.prefetch = 2
    options.timeout = timeout
    // many, because processes are killed
    options.retry = RetryPolicy(attempts: 1_000)
    options.logger = nil
    let queue = JobQueue(of: Errand.self, in: realm, options: options)
    let hold = URL(filePath: path).deletingLastPathComponent().path + "/hold"
    let work = terminationSignal.task {
        try await queue.run { run in
            let number = run.job.number
            let seconds = run.job.dueAt?.timeIntervalSinceReferenceDate ?? 0
            // a claim in advance that has expired doesn't count as an attempt
            let attempt = run.job.lastError == nil ? run.attempt : max(run.attempt, 2)
            printLine("begin \(number) \(attempt) \(seconds)")
            if attempt == 1 {
                try await Task.sleep(for: .milliseconds(run.job.milliseconds), tolerance: .zero)
            }
            while access(hold, F_OK) == 0 { try await Task.sleep(for: .milliseconds(20)) }
            if number < 0 || number % 3 == 0 { return }
            do {
                try await run.finish { tx in try tx.settleErrand(number) }
                printLine("done \(number)")
            } catch WorkerError.claimLost {
                printLine("lost \(number)")
            }
        }
    }
    try await work.value
    await realm.close()
}

extension Transaction {
    fileprivate func settleErrand(_ number: Int) throws {
        if let tally = object(Tally.self, forPrimaryKey: number) {
            tally.count += 1
        } else {
            try create(Tally.self, value: ["number": number, "count": 1])
        }
        let errand = Errand(value: ["number": -1 - number % 5])
        try enqueue(errand, priority: 50, uniqueKey: "key \(number % 5)")
    }
}

/// Consumes events until the signal, as one of several processes. Prints "got NUMBER" for each
/// event that it gets and, once the postings of some are saved, "saved NUMBER" with the last one.
/// If they can't be saved, prints "again NUMBER" for each of them. Fails each 60th event, whose
/// change becomes a dead letter, until that is retried.
func consumeEvents(
    _ path: String, lease: Duration, _ terminationSignal: TerminationSignal
) async throws {
    struct Poison: Error {}
    StandardInput.exitAtEnd()
    terminationSignal.onArrival { exit(0) }
    let realm = try await Realm.work(path)
    var options = ConsumerOptions()
    options.batchSize = 8
    options.lease = lease
    // more than those in which the process is killed
    options.retry = RetryPolicy(attempts: 10, delay: .milliseconds(1), factor: 1)
    options.logger = nil
    let consumption = terminationSignal.task { [options] in
        try await realm.consume(Event.self, as: "ledger", options: options) { batch in
            let numbers = batch.inserted.map(\.number)
            guard let last = numbers.last else { return }
            printLines(numbers.map { "got \($0)" })
            do {
                try await Task.sleep(for: .milliseconds(last % 4), tolerance: .zero)
                let isLate = batch.isDeadLetter
                if !isLate, numbers.contains(where: { $0 % 60 == 59 }) { throw Poison() }
                try await batch.save { tx in
                    for number in numbers {
                        try tx.create(Posting.self, value: ["number": number, "isLate": isLate])
                    }
                }
            } catch {
                printLines(numbers.map { "again \($0)" })
                throw error
            }
            printLine("saved \(last)")
        }
    }
    try await consumption.value
    await realm.close()
}

import Logging
import Regnum
import RegnumTestSupport
import RegnumTesting
import Synchronization
import Testing

@testable import RegnumTestModels
@testable import RegnumWorkers

/// What queues log.
@Suite struct JobLogTests {
    let clock = ManualClock()
    private let lines = LogLines()

    private func queue(attempts: Int) async throws -> JobQueue<Parcel> {
        var options = JobOptions()
        options.time = clock.time
        options.retry = RetryPolicy(attempts: attempts, delay: .zero)
        options.logger = Logger(label: "test") { [lines] _ in LineHandler(add: lines.add) }
        let queue = JobQueue<Parcel>(
            in: try await Realm.temporary(workerTypes), options: options)
        try await queue.realm.write { try $0.enqueue(Parcel("a")) }
        return queue
    }

    /// Runs the queue until there are no more jobs that can run.
    private func run(
        _ queue: JobQueue<Parcel>,
        _ handler: @escaping @Sendable (JobRun<Parcel>) async throws -> Void
    ) async throws {
        let run = Task { try await queue.run(handler) }
        for try await change in queue.realm.objects(Parcel.self).changes
        where change.collection.allSatisfy({ $0.status == .dead }) {
            break
        }
        run.cancel()
        try await run.value
    }

    @Test func lastAttemptIsAnError() async throws {
        let queue = try await queue(attempts: 3)
        try await run(queue) { _ in throw Failure() }
        expectEqual(lines.all.map(\.level), [.debug, .debug, .error])
        expectTrue(lines.all.allSatisfy { $0.text.contains("failed: Failure") })
    }

    @Test func jobWhoseWorkersDiedIsAnError() async throws {
        let queue = try await queue(attempts: 2)
        for count in [1, 1, 0] {
            expectEqual(try await queue.claim(upTo: 1).count, count)
            clock.advance(by: .seconds(30))
        }
        expectEqual(lines.all.map(\.level), [.error])
        expectTrue(lines.all[0].text.contains("Gave up"))
    }

    @Test func errorAfterTheEndIsNone() async throws {
        let queue = try await queue(attempts: 1)
        try await run(queue) { run in
            try await run.finish { _ in }
            throw Failure()
        }
        expectEqual(lines.all.map(\.text), [])
    }
}

private final class LogLines: Sendable {
    private let lines = Mutex<[(level: Logger.Level, text: String)]>([])

    var all: [(level: Logger.Level, text: String)] { lines.withLock { $0 } }

    func add(_ level: Logger.Level, _ text: String) { lines.withLock { $0.append((level, text)) } }
}

/// Passes messages to a closure.
struct LineHandler: LogHandler {
    let add: @Sendable (Logger.Level, String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    init(add: @escaping @Sendable (Logger.Level, String) -> Void) {
        self.add = add
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { add(event.level, "\(event.message)") }
}

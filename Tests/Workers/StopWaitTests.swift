import Logging
import RegnumEngine
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import Regnum
@testable import RegnumTestModels
@testable import RegnumWorkers

/// Queues and consumers that end while another writer has the turn.
@Suite(.timeLimit(.minutes(8))) struct StopWaitTests {
    private let clock = ManualClock()
    private let journal = Journal()
    /// What is logged.
    private let log = Journal()

    /// The way in which a handler ends.
    enum HandlerEnd: CaseIterable {
        case returns, saves
    }

    /// A write can wait for another one forever, but not a queue or consumer that is cancelled or
    /// stopped.
    @Test(arguments: [false, true], HandlerEnd.allCases)
    func anEndingTaskWaitsForOtherWritersForALimitedTime(
        isConsumer: Bool, handlerEnd: HandlerEnd
    ) async throws {
        let folder = try RealmFolder()
        for isCancelled in [false, true] {
            let count = journal.entries.count
            let stop = Wakeup()
            let name = "patient \(isCancelled).realm"
            let realm = try await Realm.open(folder.configuration(name, workerTypes))
            let gate = Gate()
            let run = try await start(realm, isConsumer: isConsumer, handlerEnd, gate, until: stop)
            await journal.entries(count + 1)
            let turn = try await realm.core.coordinator.beginWrite()
            gate.open()
            // usually the write is waiting by then
            try await Task.sleep(for: .milliseconds(20))
            if isCancelled { run.cancel() } else { stop.set() }
            await journal.entries(count + 2)
            try await realm.core.coordinator.abandon(turn)
            try await run.value
            expectEqual(journal.entries.suffix(2), ["a", "ended"])
            await realm.close()
        }
        expectTrue(log.entries.contains { $0.contains("waited for others") }, "\(log.entries)")
    }

    /// Starts a queue or consumer that has something to do.
    private func start(
        _ realm: Realm, isConsumer: Bool, _ handlerEnd: HandlerEnd, _ gate: Gate,
        until stop: Wakeup
    ) async throws -> Task<Void, any Error> {
        try await realm.write { tx in
            try tx.add(Memo("a"))
            try tx.enqueue(Parcel("a"))
        }
        let logger = Logger(label: "test") { [log] _ in LineHandler { _, text in log.add(text) } }
        var (consumerOptions, options) = (ConsumerOptions(), JobOptions())
        consumerOptions.time = clock.time
        consumerOptions.lease = .seconds(1)
        consumerOptions.logger = logger
        options.time = clock.time
        options.timeout = .seconds(1)
        options.logger = logger
        return Task { [journal, options, consumerOptions] in
            if isConsumer {
                try await realm.consume(
                    Memo.self, as: "mailer", options: consumerOptions, until: stop
                ) { batch in
                    journal.add("a")
                    await gate.pass()
                    if handlerEnd == .saves { try await batch.save { _ in } }
                }
            } else {
                try await JobQueue<Parcel>(in: realm, options: options).run(until: stop) { run in
                    journal.add("a")
                    await gate.pass()
                    if handlerEnd == .saves { try await run.finish { _ in } }
                }
            }
            journal.add("ended")
        }
    }
}

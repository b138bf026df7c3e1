import Foundation
import Logging
import Regnum
import RegnumService
import RegnumWorkers
import ServiceLifecycle
import Testing
import TraitModels

/// A graceful shutdown of services that use a realm.
@Suite struct ShutdownTests {
    private let directory = TemporaryDirectory()
    private let journal = Journal()

    @Test func handlersFinishStreamsEndAndTheRealmIsClosed() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        var options = JobOptions.ofTests
        options.concurrency = 1
        try await realm.write { tx in
            for recipient in ["first", "second"] {
                try tx.enqueue(Mail(value: ["recipient": recipient]))
            }
        }
        let group = group([
            RealmService(realm),
            JobService(JobQueue(of: Mail.self, in: realm, options: options)) { [journal] run in
                journal.add("job \(run.job.recipient)")
                try await gracefulShutdown()
                // as if it took its time
                try await Task.sleep(for: .milliseconds(20))
                let isCancelled = Task.isCancelled
                try await run.finish { tx in try tx.create(Note.self, value: ["text": "sent"]) }
                journal.add("job finished, cancelled: \(isCancelled)")
            },
            ConsumerService(Note.self, as: "index", in: realm, options: .ofTests) {
                [journal] batch in
                if batch.inserted.isEmpty { return }
                journal.add("notes")
                try await gracefulShutdown()
                try await Task.sleep(for: .milliseconds(20))
                journal.add("notes done, cancelled: \(Task.isCancelled)")
            },
            // a server that sends changes to its clients
            ClosureService { [journal] in
                let changes = realm.objects(Note.self).changes
                for try await change in changes.cancelOnGracefulShutdown() {
                    journal.add("stream \(change.collection.count)")
                }
                journal.add("stream ended")
            },
        ])
        // a stream that knows nothing of the shutdown
        var other = realm.objects(Mail.self).changes.makeAsyncIterator()
        _ = try await other.next()
        let running = Task { try await group.run() }
        await journal.wait(for: "job first")
        try await realm.addNotes(3)
        await journal.wait(for: "stream 3")
        await journal.wait(for: "notes")
        await group.triggerGracefulShutdown()
        try await running.value

        let lines = journal.all
        #expect(lines.contains("job finished, cancelled: false"))
        #expect(lines.contains("notes done, cancelled: false"))
        #expect(lines.contains("stream ended"))
        #expect(!lines.contains("job second"))
        // in reverse order of the services
        let ends = [
            "stream ended", "notes done, cancelled: false", "job finished, cancelled: false",
        ]
        #expect(lines.suffix(3) == ends[...])
        #expect(realm.isClosed)
        // what was committed before the realm was closed, and then the end
        while try await other.next() != nil {}

        // another process continues
        let next = try await Realm.open(.ofTests(directory.url))
        let counts = try await JobQueue(of: Mail.self, in: next, options: options).counts()
        #expect(counts.ready == 1)
        #expect(counts.unfinished == 1)
        let waiting = next.snapshot().objects(Mail.self).map { "\($0.recipient) \($0.attempts)" }
        #expect(waiting == ["second 0"])
        let consumer = try #require(try await next.consumers().first)
        #expect(consumer.leaseExpiresAt == nil)
        #expect(consumer.attempts == 0)
        #expect(next.snapshot().objects(Note.self).map(\.text).last == "sent")
        await next.close()
    }

    @Test func changesAreDeliveredOnceAcrossAShutdown() async throws {
        for round in 0..<3 {
            let realm = try await Realm.open(.ofTests(directory.url))
            let group = group([
                RealmService(realm),
                ConsumerService(Note.self, as: "index", in: realm, options: .ofTests) {
                    [journal] batch in
                    for note in batch.inserted { journal.add("\(note.text) \(round)") }
                },
            ])
            let running = Task { try await group.run() }
            try await realm.write { tx in
                try tx.create(Note.self, value: ["text": "round \(round)"])
            }
            await journal.wait(for: "round \(round) \(round)")
            await group.triggerGracefulShutdown()
            try await running.value
        }
        #expect(journal.all == ["round 0 0", "round 1 1", "round 2 2"])
    }

    @Test func jobsThatWereClaimedInAdvanceAreReadyAtOnce() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        var options = JobOptions.ofTests
        options.concurrency = 1
        options.prefetch = 10
        try await realm.write { tx in
            for number in 0..<5 { try tx.enqueue(Mail(value: ["recipient": "\(number)"])) }
        }
        let queue = JobQueue(of: Mail.self, in: realm, options: options)
        let group = group([
            JobService(queue) { [journal] run in
                journal.add(run.job.recipient)
                try await gracefulShutdown()
            }
        ])
        let running = Task { try await group.run() }
        await journal.wait(for: "0")
        #expect(try await queue.counts().running == 5)
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(journal.all == ["0"])
        let counts = try await queue.counts()
        #expect(counts.ready == 4)
        #expect(counts.unfinished == 4)
        let attempts = realm.snapshot().objects(Mail.self).map(\.attempts)
        #expect(attempts == [0, 0, 0, 0])
        await realm.close()
    }

    @Test func handlersAreCancelledAfterTheMaximumDuration() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        try await realm.addNotes(1)
        try await realm.write { tx in try tx.enqueue(Mail(value: ["recipient": "slow"])) }
        let queue = JobQueue(of: Mail.self, in: realm, options: .ofTests)
        var configuration = ServiceGroupConfiguration(
            services: [
                RealmService(realm),
                JobService(queue) { [journal] run in
                    journal.add("job")
                    try await Task.sleep(for: .seconds(3_600))
                },
                ConsumerService(Note.self, as: "index", in: realm, options: .ofTests) {
                    [journal] batch in
                    journal.add("notes")
                    try await Task.sleep(for: .seconds(3_600))
                },
            ], logger: silent)
        configuration.maximumGracefulShutdownDuration = .milliseconds(50)
        let group = ServiceGroup(configuration: configuration)
        let running = Task { try await group.run() }
        await journal.wait(for: "job")
        await journal.wait(for: "notes")
        await group.triggerGracefulShutdown()
        // the group may report that it had to cancel its services
        _ = await running.result
        // nothing counts, and others can begin at once
        let waiting = realm.snapshot().objects(Mail.self).map { "\($0.recipient) \($0.attempts)" }
        #expect(waiting == ["slow 0"])
        #expect(try await queue.counts().ready == 1)
        let consumer = try #require(try await realm.consumers().first)
        #expect(consumer.cursor == nil)
        #expect(consumer.attempts == 0)
        #expect(consumer.leaseExpiresAt == nil)
        await realm.close()
    }

    @Test func handlersThatEndEarlyHaveNotFailed() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        try await realm.addNotes(1)
        try await realm.write { tx in try tx.enqueue(Mail(value: ["recipient": "slow"])) }
        var jobOptions = JobOptions.ofTests
        jobOptions.retry = RetryPolicy(attempts: 1)
        var consumerOptions = ConsumerOptions.ofTests
        consumerOptions.retry = RetryPolicy(attempts: 1)
        let queue = JobQueue(of: Mail.self, in: realm, options: jobOptions)
        let group = group([
            JobService(queue) { [journal] _ in
                journal.add("job")
                try await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(3_600)) }
            },
            ConsumerService(Note.self, as: "index", in: realm, options: consumerOptions) {
                [journal] _ in
                journal.add("notes")
                try await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(3_600)) }
            },
        ])
        let running = Task { try await group.run() }
        await journal.wait(for: "job")
        await journal.wait(for: "notes")
        await group.triggerGracefulShutdown()
        try await running.value
        let counts = try await queue.counts()
        #expect(counts.ready == 1)
        #expect(counts.dead == 0)
        let consumer = try #require(try await realm.consumers().first)
        #expect(consumer.cursor == nil)
        #expect(consumer.attempts == 0)
        #expect(consumer.deadLetters == 0)
        await realm.close()
    }

    @Test func consumersThatWaitEndAtOnce() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        try await realm.addNotes(1)
        func consumer(_ name: String) -> ConsumerService<Note> {
            ConsumerService(Note.self, as: name, in: realm, options: .ofTests) { [journal] _ in
                journal.add(name)
                if name == "failing" { throw Failure() }
            }
        }
        // one that waits for its next attempt, one that waits for changes, and one for its lease
        let group = group([consumer("failing"), consumer("idle"), consumer("idle")])
        let running = Task { try await group.run() }
        await journal.wait(for: "failing")
        await journal.wait(for: "idle")
        var commits = realm.commits.makeAsyncIterator()
        while !(try await realm.consumers().contains { $0.attempts == 1 }) {
            _ = try await commits.next()
        }
        await group.triggerGracefulShutdown()
        try await running.value
        let statuses = try await realm.consumers()
        #expect(statuses.map(\.name) == ["failing", "idle"])
        #expect(statuses.map(\.attempts) == [1, 0])
        #expect(statuses.map(\.leaseExpiresAt) == [nil, nil])
        #expect(journal.all.sorted() == ["failing", "idle"])
        await realm.close()
    }

    @Test func expiredObjectsAreRemovedUntilTheShutdown() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        try await realm.write { tx in
            for seconds in [-1.0, -2, 3_600] {
                try tx.create(Ticket.self, value: ["expiresAt": Date() + seconds])
            }
        }
        let group = group([
            RealmService(realm), ExpiryService(Ticket.self, at: \.expiresAt, in: realm),
        ])
        let running = Task { try await group.run() }
        for try await change in realm.objects(Ticket.self).changes
        where change.collection.count == 1 {
            break
        }
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(realm.isClosed)
    }

    @Test func aServiceThatFailsLeavesTheRealmToTheOthers() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        try await realm.write { tx in try tx.enqueue(Mail(value: ["recipient": "ann"])) }
        let queue = JobQueue(of: Mail.self, in: realm, options: .ofTests)
        let group = group([
            RealmService(realm),
            JobService(queue) { [journal] run in
                journal.add("job")
                // done, although the task is cancelled
                try? await Task.sleep(for: .seconds(3_600))
            },
            ClosureService { [journal] in
                await journal.wait(for: "job")
                throw Failure()
            },
        ])
        await #expect(throws: Failure.self) { try await group.run() }
        #expect(!realm.isClosed)
        #expect(try await queue.counts().unfinished == 0)
        await realm.close()
    }

    // MARK: Services

    private struct Failure: Error {}

    private var silent: Logger { Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() } }

    private func group(_ services: [any Service]) -> ServiceGroup {
        ServiceGroup(services: services, logger: silent)
    }
}

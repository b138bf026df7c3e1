import Foundation
import MetricsTestKit
import Regnum
import RegnumService
import RegnumWorkers
import Testing
import TraitModels

/// A class that the realm of the tests doesn't have.
private final class Unlisted: Job {
    @Persisted var text: String
}

/// The metrics of jobs and consumers.
@Suite struct WorkerMetricsTests {
    private let directory = TemporaryDirectory()
    private let backend = TestMetrics()

    @Test func jobsAreReportedByClassAndStatus() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let metrics = RealmMetrics(realm, factory: backend)
        var options = JobOptions.ofTests
        options.keepsFinished = true
        let queue = JobQueue(of: Mail.self, in: realm, options: options)
        try await realm.write { tx in
            for recipient in ["done", "done", "dead", "running", "ready", "ready", "ready"] {
                try tx.enqueue(Mail(value: ["recipient": recipient]))
            }
            try tx.enqueue(Mail(value: ["recipient": "scheduled"]), at: .distantFuture)
        }
        let claims = try await queue.claim(upTo: 4)
        #expect(claims.map(\.job.recipient) == ["done", "done", "dead", "running"])
        try await queue.finish([claims[0], claims[1]])
        try await queue.fail(claims[2], JobFailure.permanent("no such address"))
        await metrics.report()
        #expect(try jobs("ready") == 3)
        #expect(try jobs("scheduled") == 1)
        #expect(try jobs("running") == 1)
        #expect(try jobs("done") == 2)
        #expect(try jobs("dead") == 1)

        try await queue.finish([claims[3]])
        try await queue.retryDead()
        await metrics.report()
        #expect(try jobs("ready") == 4)
        #expect(try jobs("running") == 0)
        #expect(try jobs("done") == 3)
        #expect(try jobs("dead") == 0)
        await realm.close()
    }

    @Test func consumersAreReportedUntilTheyAreRemoved() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let metrics = RealmMetrics(realm, factory: backend)
        let journal = Journal()
        var options = ConsumerOptions.ofTests
        options.retry = RetryPolicy(attempts: 1)
        try await realm.addNotes(1)
        let consumer = Task { [options] in
            try await realm.consume(Note.self, as: "index", options: options) { batch in
                guard batch.inserted.contains(where: { $0.text == "poison" }) else {
                    // saved here, so that its position is stored when the journal has the line
                    try await batch.save { _ in }
                    return journal.add("\(batch.inserted.count)")
                }
                throw Poison()
            }
        }
        await journal.wait(for: "1")
        try await realm.write { tx in try tx.create(Note.self, value: ["text": "poison"]) }
        try await realm.write { tx in
            for _ in 0..<2 { try tx.create(Note.self) }
        }
        await journal.wait(for: "2")
        consumer.cancel()
        try await consumer.value
        // the last commit releases the lease
        let status = try #require(try await realm.consumers().first)
        #expect(status.lag == realm.stats().version - (status.cursor?.version ?? 0))
        await metrics.report()
        #expect(try value("regnum.consumer.dead") == 1)
        #expect(try value("regnum.consumer.lag") == Double(status.lag))

        try await realm.addNotes(7)
        await metrics.report()
        #expect(try value("regnum.consumer.lag") == Double(status.lag) + 7)

        try await realm.removeConsumer("index")
        await metrics.report()
        #expect(throws: TestMetricsError.self) { try value("regnum.consumer.lag") }
        await realm.close()
    }

    @Test func aRealmWithoutWorkersReportsNone() async throws {
        var configuration = Realm.Configuration.ofTests(directory.url)
        configuration.objectTypes = [Note.self]
        let realm = try await Realm.open(configuration)
        let metrics = RealmMetrics(realm, factory: backend)
        try await realm.addNotes(1)
        await metrics.report()
        let labels = backend.recorders.map(\.label)
        let ofWorkers = labels.filter { $0.hasPrefix("regnum.jobs") || $0.contains("consumer") }
        #expect(ofWorkers == [])
        #expect(labels.contains("regnum.streams"))
        await realm.close()
    }

    @Test func aClassThatCannotBeCountedHidesNothing() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let metrics = RealmMetrics(realm, jobs: [Unlisted.self, Mail.self], factory: backend)
        try await realm.write { tx in try tx.enqueue(Mail(value: ["recipient": "ann"])) }
        let consumer = Task {
            try await realm.consume(Note.self, as: "index", options: .ofTests) { _ in }
        }
        var commits = realm.commits.makeAsyncIterator()
        while try await realm.consumers().isEmpty { _ = try await commits.next() }
        consumer.cancel()
        try await consumer.value
        await metrics.report()
        #expect(try jobs("ready") == 1)
        #expect(try value("regnum.consumer.dead") == 0)
        await realm.close()
    }

    // MARK: Values

    private struct Poison: Error {}

    private var realmDimension: (String, String) { ("realm", directory.url.lastPathComponent) }

    private func jobs(_ status: String) throws -> Double {
        let dimensions = [realmDimension, ("class", "Mail"), ("status", status)]
        return try #require(backend.expectGauge("regnum.jobs", dimensions).lastValue)
    }

    private func value(_ label: String) throws -> Double {
        let dimensions = [realmDimension, ("consumer", "index")]
        return try #require(backend.expectGauge(label, dimensions).lastValue)
    }
}

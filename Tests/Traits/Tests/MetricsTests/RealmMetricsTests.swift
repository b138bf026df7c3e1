import CoreMetrics
import Foundation
import Metrics
import MetricsTestKit
import Regnum
import RegnumService
import RegnumWorkers
import Testing
import TraitModels

/// Each metric after a known workload.
@Suite struct RealmMetricsTests {
    private let directory = TemporaryDirectory()
    private let backend = TestMetrics()

    @Test func commitsAndTheirDurationsAreReportedOnce() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let metrics = RealmMetrics(realm, factory: backend)
        let start = ContinuousClock.now
        try await realm.addNotes(5)
        let elapsed = start.duration(to: .now)
        await metrics.report()
        #expect(try counter("regnum.commits") == 5)
        #expect(try counter("regnum.commits.external") == 0)
        #expect(try counter("regnum.checkpoints") == 0)
        #expect(try counter("regnum.compactions") == 0)
        let commits = try timer("regnum.commit.duration")
        let syncs = try timer("regnum.sync.duration")
        #expect(commits.count == 5)
        #expect(syncs.count == 5)
        for (commit, sync) in zip(commits, syncs) {
            #expect(sync > .zero)
            #expect(sync < commit)
        }
        #expect(commits.reduce(.zero, +) < elapsed)
        // short waits for the log
        #expect(try timer("regnum.write.wait").reduce(.zero, +) < elapsed)

        // nothing is reported twice
        await metrics.report()
        #expect(try counter("regnum.commits") == 5)
        #expect(try timer("regnum.commit.duration").count == 5)
        try await realm.addNotes(2)
        await metrics.report()
        #expect(try counter("regnum.commits") == 7)
        #expect(try timer("regnum.commit.duration").count == 7)
        await realm.close()
    }

    @Test func commitsBeforeTheMetricsWereCreatedCountButHaveNoDuration() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        try await realm.addNotes(3)
        let metrics = RealmMetrics(realm, factory: backend)
        try await realm.addNotes(1)
        await metrics.report()
        #expect(try counter("regnum.commits") == 4)
        #expect(try timer("regnum.commit.duration").count == 1)
        await realm.close()
    }

    @Test func aRelaxedCommitHasADurationBeforeItIsSynced() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        try await realm.addNotes(1)
        let metrics = RealmMetrics(realm, factory: backend)
        for number in 0..<20 {
            try await realm.write(durability: .relaxed(within: .seconds(3_600))) { tx in
                try tx.create(Note.self, value: ["text": "relaxed \(number)"])
            }
        }
        await metrics.report()
        // those that came while the log was in use have shared a batch and its sync
        let batches = Int(realm.stats().batches) - 1
        #expect(try counter("regnum.commits") == 21)
        #expect(try timer("regnum.commit.duration").count == batches)
        #expect(try timer("regnum.sync.duration").count == Int(realm.stats().syncs) - 1)
        await realm.close()
    }

    @Test func aWriterThatHadToWaitIsReported() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let metrics = RealmMetrics(realm, factory: backend)
        let start = ContinuousClock.now
        var longest = Duration.zero
        // until the second writer was queued while the body of the first one was running
        while longest < .milliseconds(10) {
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let first = Task {
                try await realm.write { tx in
                    begin.finish()
                    usleep(20_000)
                    try tx.create(Note.self)
                }
            }
            for await _ in begun {}
            try await realm.addNotes(1)
            try await first.value
            await metrics.report()
            longest = try timer("regnum.write.wait").max() ?? .zero
        }
        #expect(longest < start.duration(to: .now))
        await realm.close()
    }

    @Test func heldVersionsAndTheAgeOfTheOldestAreReported() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let metrics = RealmMetrics(realm, factory: backend)
        await metrics.report()
        #expect(try gauge("regnum.versions.held") == 0)
        #expect(try gauge("regnum.versions.oldest.age") == 0)

        let earliest = ContinuousClock.now
        var held = [realm.snapshot()]
        let latest = ContinuousClock.now
        try await realm.addNotes(1)
        held += [realm.snapshot(), realm.snapshot()]
        try await Task.sleep(for: .milliseconds(50))
        let minimum = latest.duration(to: .now)
        await metrics.report()
        let maximum = earliest.duration(to: .now)
        #expect(try gauge("regnum.versions.held") == 2)
        let age = Duration.seconds(try gauge("regnum.versions.oldest.age"))
        // a tick of the coarse clock is at most 10 ms
        #expect(age >= minimum - .milliseconds(10))
        #expect(age <= maximum + .milliseconds(10))
        let oldest = try #require(realm.stats().snapshots.first)
        #expect(oldest.place.hasPrefix("MetricsTests/RealmMetricsTests.swift:"))

        held.removeFirst()
        await metrics.report()
        #expect(try gauge("regnum.versions.held") == 1)
        held = []
        await metrics.report()
        #expect(try gauge("regnum.versions.held") == 0)
        #expect(try gauge("regnum.versions.oldest.age") == 0)
        await realm.close()
    }

    @Test func sizesCheckpointsAndCompactionsAreReported() async throws {
        var configuration = Realm.Configuration.ofTests(directory.url)
        let realm = try await Realm.open(configuration)
        let metrics = RealmMetrics(realm, factory: backend)
        try await realm.addNotes(20)
        let report = try await realm.compact()
        await metrics.report()
        #expect(try counter("regnum.checkpoints") == 1)
        #expect(try counter("regnum.compactions") == 1)
        #expect(try gauge("regnum.file.bytes") == Double(report.byteCountAfter))
        let live = try gauge("regnum.live.bytes")
        #expect(live > 0)
        #expect(live < Double(report.byteCountAfter))
        #expect(try gauge("regnum.memory.bytes") == Double(realm.stats().heapByteCount))
        await realm.close()

        // what the next process finds
        let used = Journal()
        configuration.shouldCompactOnLaunch = { _, usedByteCount in
            used.add("\(usedByteCount)")
            return false
        }
        let next = try await Realm.open(configuration)
        #expect(used.all == ["\(Int(live))"])
        await next.close()
    }

    @Test func streamsAndTheirLagAreReported() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let metrics = RealmMetrics(realm, factory: backend)
        func addTicket() async throws {
            try await realm.write { tx in try tx.create(Ticket.self, value: ["expiresAt": Date()]) }
        }
        // a commit that adds a class concerns all streams
        try await addTicket()
        try await realm.addNotes(1)
        do {
            var changes = realm.objects(Note.self).changes.makeAsyncIterator()
            _ = try await changes.next()
            await metrics.report()
            #expect(try gauge("regnum.streams") == 1)
            #expect(try gauge("regnum.streams.lag") == 0)

            try await addTicket()
            await metrics.report()
            #expect(try gauge("regnum.streams.lag") == 0)

            try await realm.addNotes(3)
            await metrics.report()
            #expect(try gauge("regnum.streams.lag") == 3)
            _ = try await changes.next()
            await metrics.report()
            #expect(try gauge("regnum.streams.lag") == 0)
        }
        await metrics.report()
        #expect(try gauge("regnum.streams") == 0)
        await realm.close()
    }

    @Test func commitsOfAnotherProcessAreReported() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let metrics = RealmMetrics(realm, factory: backend)
        try await realm.addNotes(2)
        #expect(try await runPeer(directory.url, noteCount: 4) == 0)
        for try await change in realm.objects(Note.self).changes where change.collection.count == 6
        {
            break
        }
        await metrics.report()
        #expect(try counter("regnum.commits") == 2)
        #expect(try counter("regnum.commits.external") == 4)
        await realm.close()
    }

    @Test func aRealmInMemoryHasNoSizesAndDurations() async throws {
        let realm = try await Realm.open(.init(location: .inMemory(identifier: "metrics")))
        let metrics = RealmMetrics(realm, factory: backend)
        try await realm.addNotes(2)
        await metrics.report()
        let dimensions = [("realm", "metrics")]
        #expect(try backend.expectCounter("regnum.commits", dimensions).totalValue == 2)
        #expect(try backend.expectTimer("regnum.commit.duration", dimensions).values == [])
        #expect(try backend.expectGauge("regnum.file.bytes", dimensions).values == [])
        await realm.close()
    }

    @Test func theScrubIsReported() async throws {
        var configuration = Realm.Configuration.ofTests(directory.url)
        configuration.scrubBytesPerSecond = .max
        let realm = try await Realm.open(configuration)
        let metrics = RealmMetrics(realm, factory: backend)
        while realm.stats().scrub?.passes != 1 { try await Task.sleep(for: .milliseconds(1)) }
        for _ in 0..<2 {  // the bytes are counted once
            await metrics.report()
            let scrub = try #require(realm.stats().scrub)
            #expect(scrub.byteCount > 0)
            #expect(try counter("regnum.scrub.bytes") == Int64(scrub.byteCount))
            #expect(try gauge("regnum.scrub.damages") == 0)
            let age = try gauge("regnum.scrub.age")
            #expect(age >= 0 && age < 1_200)
        }
        await realm.close()
    }

    /// A first pass that takes days, or fails again and again, must be noticed.
    @Test func theAgeOfAScrubBeginsWithTheRealm() async throws {
        var configuration = Realm.Configuration.ofTests(directory.url)
        configuration.scrubBytesPerSecond = 1
        let realm = try await Realm.open(configuration)
        let metrics = RealmMetrics(realm, factory: backend)
        try await realm.addNotes(1)
        await metrics.report()
        #expect(realm.stats().scrub?.passes == 0)
        let age = try gauge("regnum.scrub.age")
        #expect(age >= 0 && age < 1_200)
        await realm.close()
    }

    // MARK: Values

    private var dimensions: [(String, String)] { [("realm", directory.url.lastPathComponent)] }

    private func counter(_ label: String) throws -> Int64 {
        try backend.expectCounter(label, dimensions).totalValue
    }

    private func timer(_ label: String) throws -> [Duration] {
        try backend.expectTimer(label, dimensions).values.map { .nanoseconds($0) }
    }

    private func gauge(_ label: String) throws -> Double {
        try #require(backend.expectGauge(label, dimensions).lastValue)
    }
}

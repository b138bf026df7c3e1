import Foundation
import Logging
import MetricsTestKit
import Regnum
import RegnumService
import ServiceLifecycle
import Testing
import TraitModels

/// Metrics in a service group.
@Suite struct MetricsServiceTests {
    @Test func theLastReportIsMadeAtTheShutdown() async throws {
        let directory = TemporaryDirectory()
        let backend = TestMetrics()
        let journal = Journal()
        let realm = try await Realm.open(.ofTests(directory.url))
        let group = ServiceGroup(
            services: [
                RealmService(realm),
                RealmMetrics(realm, interval: .seconds(3_600), factory: backend),
                ClosureService {
                    journal.add("running")
                    try await gracefulShutdown()
                    try await realm.addNotes(4)
                },
            ], logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await group.run() }
        await journal.wait(for: "running")
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(realm.isClosed)
        let dimensions = [("realm", directory.url.lastPathComponent)]
        #expect(try backend.expectCounter("regnum.commits", dimensions).totalValue == 4)
        #expect(try backend.expectTimer("regnum.commit.duration", dimensions).values.count == 4)
    }

    @Test func metricsAreReportedAtTheInterval() async throws {
        let directory = TemporaryDirectory()
        let backend = TestMetrics()
        let realm = try await Realm.open(.ofTests(directory.url))
        let metrics = RealmMetrics(realm, interval: .milliseconds(5), factory: backend)
        let running = Task { try await metrics.run() }
        try await realm.addNotes(3)
        let dimensions = [("realm", directory.url.lastPathComponent)]
        while try backend.expectCounter("regnum.commits", dimensions).totalValue < 3 {
            try await Task.sleep(for: .milliseconds(5))
        }
        running.cancel()
        try await running.value
        #expect(try backend.expectCounter("regnum.commits", dimensions).totalValue == 3)
        await realm.close()
    }

    @Test func theIntervalCanBeOfAnyLength() async throws {
        let directory = TemporaryDirectory()
        let realm = try await Realm.open(.ofTests(directory.url))
        let metrics = RealmMetrics(
            realm, interval: .seconds(Int64.max), factory: TestMetrics())
        let running = Task { try await metrics.run() }
        try await Task.sleep(for: .milliseconds(100))
        running.cancel()
        try await running.value
        await realm.close()
    }
}

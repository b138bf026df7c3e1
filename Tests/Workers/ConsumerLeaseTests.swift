import Foundation
import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels
@testable import RegnumWorkers

/// One consumer of a name runs at a time, whatever happens to processes and clocks.
@Suite struct ConsumerLeaseTests {
    private let world: ConsumerWorld

    init() async throws {
        world = try await ConsumerWorld()
    }

    /// Starts a consumer that reports what it gets as `NAME text`.
    private func start(_ name: String, _ options: ConsumerOptions? = nil) -> Task<Void, any Error> {
        let (realm, journal, options) = (world.realm, world.journal, options ?? world.options)
        return Task {
            try await realm.consume(Memo.self, as: "mailer", options: options) { batch in
                for memo in batch.inserted { journal.add("\(name) \(memo.text)") }
            }
        }
    }

    /// Changes the stored state of the consumer.
    private func change(_ body: @escaping @Sendable (RegnumConsumerRecord) -> Void) async throws {
        try await world.realm.write { tx in
            let record: RegnumConsumerRecord
            if let stored = tx.object(RegnumConsumerRecord.self, forPrimaryKey: "mailer") {
                record = stored
            } else {
                record = RegnumConsumerRecord()
                (record.name, record.className) = ("mailer", "Memo")
                try tx.add(record)
            }
            body(record)
        }
    }

    private func record<R: Sendable>(
        _ keyPath: any KeyPath<RegnumConsumerRecord, R> & Sendable
    ) async throws -> R? {
        try await world.realm.read { tx in
            tx.object(RegnumConsumerRecord.self, forPrimaryKey: "mailer")?[keyPath: keyPath]
        }
    }

    @Test func anotherConsumerTakesOverWhenTheFirstEnds() async throws {
        let journal = world.journal
        let first = start("first")
        try await world.wait { $0.leaseExpiresAt != nil }
        let second = start("second")
        try await world.add("a")
        await journal.entries(1)
        first.cancel()
        try await first.value
        // without any time passing
        try await world.add("b")
        await journal.entries(2)
        second.cancel()
        try await second.value
        expectEqual(journal.entries, ["first a", "second b"])
        expectEqual(try await record(\.token), 2)
    }

    @Test func consumerOfADeadProcessIsTakenOverWhenItsLeaseExpires() async throws {
        let expiry = world.clock.date + 12
        try await change { record in
            (record.holder, record.token, record.expiresAt) = ("dead", 7, expiry)
        }
        try await world.add("a")
        let consumer = start("next")
        try await world.clock.advance(by: .seconds(3)) { world.journal.entries.count == 1 }
        consumer.cancel()
        try await consumer.value
        expectTrue(world.clock.date >= expiry)
        expectEqual(try await record(\.token), 8)
    }

    /// A process that died may have delivered all of them together, and any of them may have ended
    /// it.
    @Test func changesAfterADeadProcessAreDeliveredAloneAndCounted() async throws {
        let (realm, journal) = (world.realm, world.journal)
        var options = world.options
        options.batchSize = 3
        try await world.consuming { _ in
        } during: {
            try await world.saved()
        }
        for text in ["a", "b", "c", "d", "e"] { try await world.add(text) }
        try await change { $0.holder = "dead" }
        let consumer = Task { [options] in
            try await realm.consume(Memo.self, as: "mailer", options: options) { batch in
                let attempts = try await realm.read { tx in
                    tx.object(RegnumConsumerRecord.self, forPrimaryKey: "mailer")?.attempts
                }
                let texts = batch.inserted.map(\.text).joined()
                journal.add("\(texts) \(attempts ?? -1)")
            }
        }
        expectEqual(await journal.entries(4), ["a 1", "b 1", "c 1", "de 0"])
        consumer.cancel()
        try await consumer.value
    }

    @Test func clockThatWasSetBackDoesNotKeepADeadLease() async throws {
        let start = world.clock.date
        try await change { record in
            (record.holder, record.expiresAt) = ("dead", start + 1_000_000)
        }
        try await world.add("a")
        let consumer = self.start("next")
        try await world.clock.advance(by: .seconds(3)) { world.journal.entries.count == 1 }
        consumer.cancel()
        try await consumer.value
        expectTrue(world.clock.date >= start + 12)
    }

    @Test func leaseIsRenewedWhileTheConsumerWaitsAndWhileItsHandlerRuns() async throws {
        let (realm, journal, options) = (world.realm, world.journal, world.options)
        let gate = Gate()
        let consumer = Task {
            try await realm.consume(Memo.self, as: "mailer", options: options) { batch in
                if batch.inserted.isEmpty { return }
                journal.add("begun")
                await gate.pass()
            }
        }
        try await world.clock.advance(by: .seconds(4)) { (try await record(\.beat) ?? 0) > 4 }
        try await world.add("a")
        await journal.entries(1)
        let beat = try #require(try await record(\.beat))
        try await world.clock.advance(by: .seconds(4)) { try await record(\.beat) ?? 0 > beat + 4 }
        gate.open()
        try await world.saved()
        consumer.cancel()
        try await consumer.value
        expectEqual(try await record(\.token), 1)
        expectEqual(journal.entries, ["begun"])
    }

    @Test func leaseIsRenewedWhileAHandlerIsReturningAfterTheCancellation() async throws {
        let (realm, journal, options) = (world.realm, world.journal, world.options)
        let gate = Gate()
        try await world.add("a")
        let consumer = Task {
            try await realm.consume(Memo.self, as: "mailer", options: options) { batch in
                journal.add("begun")
                await gate.pass()
            }
        }
        await journal.entries(1)
        consumer.cancel()
        let beat = try #require(try await record(\.beat))
        try await world.clock.advance(by: .seconds(4)) { try await record(\.beat) ?? 0 > beat + 4 }
        gate.open()
        try await consumer.value
        // the handler has returned, so the change was processed
        let status = try #require(try await world.status())
        expectTrue(status.cursor != nil && status.leaseExpiresAt == nil)
    }

    @Test func consumerWithAShorterLeaseWaitsForThatOfTheHolder() async throws {
        let (journal, clock) = (world.journal, world.clock)
        var patient = world.options
        patient.lease = .seconds(1_000_000)
        let first = start("first", patient)
        try await world.wait { $0.leaseExpiresAt != nil }
        let second = start("second")
        for _ in 0..<40 {
            clock.advance(by: .seconds(3))
            try await Task.sleep(for: .milliseconds(2))
        }
        try await world.add("a")
        expectEqual(await journal.entries(1), ["first a"])
        expectEqual(try await record(\.token), 1)
        first.cancel()
        try await first.value
        second.cancel()
        try await second.value
    }

    // Covers .invalidInput
    @Test func nameOfAnotherClassIsRefusedWhileItsConsumerRuns() async throws {
        let (realm, options) = (world.realm, world.options)
        let consumer = start("first")
        try await world.wait { $0.leaseExpiresAt != nil }
        await expectInvalidInput {
            try await realm.consume(Receipt.self, as: "mailer", options: options) { _ in }
        }
        consumer.cancel()
        try await consumer.value
    }

    @Test func formerHolderCanWriteNothing() async throws {
        let (realm, journal, options) = (world.realm, world.journal, world.options)
        let gate = Gate()
        try await world.add("a")
        let consumer = Task {
            try await realm.consume(Memo.self, as: "mailer", options: options) { batch in
                journal.add("begun")
                await gate.pass()
                let texts = batch.inserted.map(\.text)
                do {
                    try await batch.save { tx in for text in texts { try tx.add(Receipt(text)) } }
                    journal.add("saved")
                } catch {
                    // or the cancellation, if the loss was noticed before
                    journal.add("lost")
                    throw error
                }
            }
        }
        await journal.entries(1)
        // another process, with a clock that is ahead, has taken over
        let date = world.clock.date
        try await change { record in
            (record.holder, record.token, record.expiresAt) = ("other", 2, date + 12)
        }
        gate.open()
        let entries = await journal.entries(2)
        guard entries == ["begun", "lost"] else {
            Issue.record("The former holder has done \(entries).")
            consumer.cancel()
            return
        }
        expectEqual(realm.snapshot().objects(Receipt.self).count, 0)
        // the other process gives up the lease, and the change is delivered again
        try await change { $0.holder = nil }
        expectEqual(await journal.entries(4), ["begun", "lost", "begun", "saved"])
        expectEqual(realm.snapshot().objects(Receipt.self).map(\.text), ["a"])
        consumer.cancel()
        try await consumer.value
        expectEqual(try await record(\.token), 3)
    }

    @Test func handlerIsCancelledWhenTheLeaseIsFoundToBeLost() async throws {
        let (realm, journal, options) = (world.realm, world.journal, world.options)
        try await world.add("a")
        let consumer = Task {
            try await realm.consume(Memo.self, as: "mailer", options: options) { batch in
                journal.add("begun")
                do { try await waitForCancellation() } catch { journal.add("cancelled") }
            }
        }
        await journal.entries(1)
        let date = world.clock.date
        try await change { record in
            (record.holder, record.token, record.expiresAt) = ("other", 2, date + 1_000_000)
        }
        // without any time passing
        expectEqual(await journal.entries(2), ["begun", "cancelled"])
        consumer.cancel()
        try await consumer.value
    }

    @Test func twoConsumersTakeTurnsAndDeliverEverythingInOrder() async throws {
        let journal = world.journal
        var consumers = [start("0"), start("1")]
        for number in 0..<20 {
            try await world.add("\(number)")
            await journal.entries(number + 1)
            let index = number % 2
            consumers[index].cancel()
            try await consumers[index].value
            consumers[index] = start("\(index)")
        }
        for consumer in consumers {
            consumer.cancel()
            try await consumer.value
        }
        let texts = journal.entries.map { String($0.split(separator: " ")[1]) }
        expectEqual(texts, (0..<20).map { "\($0)" })
    }
}

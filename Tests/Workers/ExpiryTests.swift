import Foundation
import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels
@testable import RegnumWorkers

/// The removal of objects that expire, with a clock that only the test moves.
@Suite struct ExpiryTests {
    @Test func expiredObjectsAreRemovedAndOthersStay() async throws {
        let world = try await ExpiryWorld()
        let infinity = Date(timeIntervalSinceReferenceDate: .infinity)
        try await world.add(("past", -10), ("now", 0), ("later", 10), ("much later", 1e9))
        try await world.realm.write { tx in
            try tx.add(Ticket("first", Date(timeIntervalSinceReferenceDate: -.infinity)))
            try tx.add(Ticket("old", .distantPast))
            try tx.add(Ticket("reference", Date(timeIntervalSinceReferenceDate: -0.0)))
            try tx.add(Ticket("never", .distantFuture))
            try tx.add(Ticket("last", infinity))
        }
        try await world.removing(world.body) {
            try await world.left("last", "later", "much later", "never")
            try await world.left("last", "much later", "never", within: .seconds(3))
        }
        expectEqual(world.receipts, ["first", "later", "now", "old", "past", "reference"])
        expectEqual(world.realm.stats().streams, 0)
    }

    @Test func objectsAreNeverRemovedBeforeTheirDate() async throws {
        let world = try await ExpiryWorld()
        let date = world.clock.date + 100
        try await world.add(("a", 100), ("b", 100))
        try await world.removing { [clock = world.clock, journal = world.journal] _, tickets in
            journal.add("\(clock.date >= date) \(tickets.count)")
        } during: {
            try await world.left(within: .seconds(7))
        }
        expectEqual(world.journal.entries, ["true 2"])
    }

    @Test func datesThatAreNotNumbersAreRefusedAndNeverReached() async throws {
        var world = try await ExpiryWorld()
        let noDate = Date(timeIntervalSinceReferenceDate: .nan)
        await expect(.invalidValue) {
            try await world.realm.write { tx in try tx.add(Ticket("a", noDate)) }
        }
        try await world.add(("a", -1))
        let table = ExpiryTable(type: Ticket.self, keyPath: \Ticket.expiresAt)
        let counts = try await world.realm.read { tx in
            let expired = try table.expired(at: noDate, upTo: 1, besides: [], tx)
            return [table.count(noDate, tx), expired.count]
        }
        expectEqual(counts, [0, 0])
        world.options.time = WorkerTime(clock: world.clock) { noDate }
        try await world.removing { try await world.clock.sleeps(1) }
        expectEqual(world.labels, ["a"])
    }

    @Test func objectsWithoutADateStay() async throws {
        let world = try await ExpiryWorld()
        let now = world.clock.date
        try await world.realm.write { tx in
            let dates: [(String, Date?)] = [("past", now - 1), ("never", nil), ("later", now + 5)]
            for (label, date) in dates {
                let draft = try tx.create(Draft.self, value: ["label": label])
                draft.expiresAt = date
            }
        }
        let drafts = world.realm.objects(Draft.self)
        let run = Task { [options = world.options] in
            try await world.realm.removeExpired(Draft.self, at: \.expiresAt, options: options)
        }
        try await wait(for: drafts) { Set($0.map(\.label)) == ["never", "later"] }
        try await world.clock.advance(by: .seconds(1)) { drafts.current.count == 1 }
        try await world.realm.write { tx in tx.objects(Draft.self).first?.expiresAt = now }
        try await wait(for: drafts) { $0.isEmpty }
        run.cancel()
        try await run.value
    }

    @Test func commitsEndTheWait() async throws {
        let world = try await ExpiryWorld()
        try await world.add(("a", 1_000))
        let start = world.clock.date
        try await world.removing {
            try await world.clock.sleeps(1)
            try await world.add(("b", -1))
            try await world.left("a")
            try await world.realm.write { tx in tx.objects(Ticket.self).first?.expiresAt = start }
            try await world.left()
        }
        expectEqual(world.clock.date, start)
    }

    // MARK: Bodies

    @Test func bodyWritesInTheTransactionThatRemoves() async throws {
        let world = try await ExpiryWorld()
        var commits = world.realm.commits.makeAsyncIterator()
        var others = world.realm.objects(Ticket.self)
            .changes(excludingOrigins: ["expiry Ticket"]).makeAsyncIterator()
        _ = try await others.next()
        try await world.add(("a", -1), ("b", -2))
        let added = try requireValue(try await commits.next())
        expectNil(added.origin)
        try await world.removing(world.body) { try await world.left() }
        let removal = try requireValue(try await commits.next())
        expectEqual(removal.origin, "expiry Ticket")
        expectEqual(removal.classNames, ["Receipt", "Ticket"])
        expectEqual(world.receipts, ["a", "b"])
        let change = try requireValue(try await others.next())
        expectTrue(change.collection.count == 2, "\(change)")
    }

    @Test func bodyCanProlongAndDelete() async throws {
        let world = try await ExpiryWorld()
        try await world.add(("a", -3), ("b", -2), ("c", -1))
        let later = world.clock.date + 50
        try await world.removing { tx, tickets in
            for ticket in tickets {
                switch (ticket.label, ticket.useCount) {
                case ("a", 0):
                    ticket.useCount = 1
                    ticket.expiresAt = later
                case ("b", _): tx.delete(ticket)
                // still expired
                default: ticket.expiresAt = .distantPast
                }
                try tx.add(Receipt("x"))
            }
        } during: {
            try await world.left("a")
            try await world.left(within: .seconds(9))
        }
        expectEqual(world.receipts.count, 4)
    }

    // MARK: Ends

    @Test func cancellationLosesNothing() async throws {
        let world = try await ExpiryWorld { $0.batchSize = 1 }
        try await world.realm.write { tx in
            for number in 0..<200 { try tx.add(Ticket("\(number)", .distantPast)) }
        }
        try await world.removing(world.body) { await world.journal.entries(3) }
        expectEqual(world.labels.count + world.receipts.count, 200)
        expectTrue(Set(world.labels).isDisjoint(with: world.receipts))
        // goes on where the other one has stopped
        try await world.removing(world.body) { try await world.left() }
        expectEqual(Set(world.receipts).count, 200)
        expectEqual(world.receipts.count, 200)
    }

    @Test func callThatIsAlreadyCancelledReturns() async throws {
        let world = try await ExpiryWorld()
        try await world.add(("a", 5))
        let run = world.start { _, _ in }
        run.cancel()
        try await run.value
        expectEqual(world.realm.stats().streams, 0)
    }

    // Covers .closed
    @Test func callEndsWhenTheRealmIsClosed() async throws {
        let world = try await ExpiryWorld()
        try await world.add(("a", -5), ("b", 5))
        let run = world.start(world.body)
        await world.journal.entries(1)
        await world.realm.close()
        try await run.value
        await expect(.closed) {
            try await world.realm.removeExpired(Ticket.self, at: \.expiresAt)
        }
    }

    // MARK: Clocks

    @Test func clockThatIsSetForwardIsNoticed() async throws {
        let world = try await ExpiryWorld()
        try await world.add(("a", 1e9))
        try await world.removing {
            try await world.clock.sleeps(1)
            world.offset.value = 2e9
            try await world.left(within: .seconds(10))
        }
    }

    @Test func clockThatIsSetBackDelaysTheRemoval() async throws {
        let world = try await ExpiryWorld()
        world.offset.value = -1e9
        try await world.add(("a", -10))
        try await world.removing {
            try await world.clock.sleeps(1)
            expectEqual(world.labels, ["a"])
            world.offset.value = 0
            try await world.left(within: .seconds(10))
        }
    }

    // MARK: Refusals

    // Covers .invalidInput
    @Test func refusesWhatCannotWork() async throws {
        let world = try await ExpiryWorld()
        let realm = world.realm
        do {
            try await realm.removeExpired(Draft.self, at: \.sentAt)
            Issue.record("accepted a property without an index")
        } catch let error as Realm.Error {
            expectTrue(error.className == "Draft" && error.property == "sentAt")
            expectTrue(error.message.contains("Draft.sentAt has no index"), "\(error.message)")
        }
        await expectInvalidInput { try await realm.removeExpired(Ticket.self, at: \.limit) }
        await expectInvalidInput {
            try await realm.removeExpired(Draft.self, at: \.ticket?.expiresAt)
        }
        for size in [0, -1, 10_001] {
            var options = ExpiryOptions()
            options.batchSize = size
            await expectInvalidInput { [options] in
                try await realm.removeExpired(Ticket.self, at: \.expiresAt, options: options)
            }
        }
        let other = try await Realm.temporary([Receipt.self])
        await expectInvalidInput { try await other.removeExpired(Ticket.self, at: \.expiresAt) }
    }
}

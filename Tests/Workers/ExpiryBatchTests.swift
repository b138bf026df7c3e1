import Foundation
import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels
@testable import RegnumWorkers

/// The transactions that remove expired objects: their size and order, and bodies that throw.
@Suite struct ExpiryBatchTests {
    // MARK: Batches

    @Test(arguments: [1, 3, 1_000_000])
    func earlierDatesAreRemovedFirst(dateCount: Int) async throws {
        let world = try await ExpiryWorld { $0.batchSize = 10 }
        var random = SeededRandom()
        let numbers = (0..<95).map { _ in random.below(dateCount) }
        let start = world.clock.date
        try await world.realm.write { tx in
            for number in numbers { try tx.add(Ticket("\(number)", start - Double(number))) }
        }
        try await world.removing(world.body) { try await world.left() }
        let batches = world.journal.entries.map { $0.split(separator: " ").map { Int($0) ?? -1 } }
        expectEqual(batches.map(\.count), Array(repeating: 10, count: 9) + [5])
        // the label is the age
        for (batch, next) in zip(batches, batches.dropFirst()) {
            expectTrue((batch.min() ?? 0) >= (next.max() ?? 0), "\(batch), then \(next)")
        }
        expectEqual(batches.flatMap(\.self).sorted(), numbers.sorted())
    }

    @Test func manyExpiredObjectsAreFoundInTheIndex() async throws {
        let world = try await ExpiryWorld { $0.batchSize = 50 }
        let start = world.clock.date
        try await world.realm.write { tx in
            for number in 0..<20_000 {
                // every fourth one has expired, those added last first
                let date = number % 4 == 0 ? start - Double(number) : start + 1e6
                try tx.add(Ticket("", date))
            }
        }
        let before = world.realm.stats().queriedRows
        try await world.removing {
            try await wait(for: world.realm.objects(Ticket.self)) { $0.count == 15_000 }
        }
        // not each of them again in each of the 100 transactions
        let count = world.realm.stats().queriedRows - before
        expectTrue(count < 100_000, "\(count) rows")
    }

    @Test func eachObjectIsRemovedOnceByManyCalls() async throws {
        let world = try await ExpiryWorld { $0.batchSize = 7 }
        try await world.realm.write { tx in
            for number in 0..<300 { try tx.add(Ticket("\(number)", .distantPast)) }
        }
        try await world.removing(world.body) {
            try await world.removing(world.body) {
                try await world.removing(world.body) { try await world.left() }
            }
        }
        expectEqual(world.receipts, (0..<300).map { "\($0)" }.sorted())
    }

    // MARK: Failures

    @Test func objectsWhoseBodyThrowsStayAndTheOthersAreRemoved() async throws {
        let world = try await ExpiryWorld()
        world.stubborn.value = ["b", "d"]
        try await world.add(("a", -5), ("b", -4), ("c", -3), ("d", -2), ("e", 10))
        try await world.removing(world.body) {
            try await world.left("b", "d", "e")
            expectEqual(await world.journal.entries(5), ["a b c d", "a", "b", "c", "d"])
            world.stubborn.value = ["d"]
            try await world.left("d", within: .seconds(1))
            // another one is removed meanwhile
            try await world.add(("f", -1))
            try await world.left("d")
            world.stubborn.value = []
            try await world.left(within: .seconds(1))
        }
        // what a body has written before it threw was rolled back
        expectEqual(world.receipts, ["a", "b", "c", "d", "e", "f"])
    }

    @Test func delayGrowsWithEachFailure() async throws {
        let world = try await ExpiryWorld()
        world.stubborn.value = ["a"]
        try await world.add(("a", -1))
        let dates = Mutexed<[Date]>([])
        try await world.removing { [body = world.body, clock = world.clock] tx, tickets in
            dates.value.append(clock.date)
            try body(tx, tickets)
        } during: {
            try await world.clock.advance(by: .seconds(1)) { dates.value.count == 6 }
        }
        let delays = zip(dates.value, dates.value.dropFirst()).map { $1.timeIntervalSince($0) }
        for (attempt, delay) in delays.enumerated() {
            // from 1 second on, varied by a fifth
            let least = 0.8 * Double(1 << attempt)
            expectTrue(delay >= least.rounded(.down), "\(delay) s after attempt \(attempt + 1)")
        }
    }

    @Test func delaysOfObjectsThatFailAtOnceGrow() async throws {
        let world = try await ExpiryWorld { $0.batchSize = 1 }
        world.stubborn.value = ["a", "b"]
        try await world.add(("a", -5), ("b", -4))
        try await world.removing(world.body) {
            // longer than the first and the second delay, but not than the third one
            for (round, seconds) in [2, 3, 3].enumerated() {
                await world.journal.entries(2 * round + 2)
                try await world.sleeping()
                world.clock.advance(by: .seconds(seconds))
            }
            try await world.add(("c", -1))
            try await world.left("a", "b")
        }
        expectEqual(world.journal.entries, ["a", "b", "a", "b", "a", "b", "c"])
    }

    @Test func fewFailuresDoNotHoldUpOthersInSmallTransactions() async throws {
        let world = try await ExpiryWorld { $0.batchSize = 1 }
        world.stubborn.value = ["a", "b"]
        try await world.add(("a", -5), ("b", -4), ("c", -3), ("d", -2))
        try await world.removing(world.body) { try await world.left("a", "b") }
        expectEqual(world.receipts, ["c", "d"])
    }

    @Test func manyFailuresEndTheAttempts() async throws {
        let world = try await ExpiryWorld { $0.batchSize = 2 }
        let labels = (0..<120).map { "\($0)" }
        world.stubborn.value = Set(labels)
        let date = world.clock.date - 1
        try await world.realm.write { tx in
            for label in labels { try tx.add(Ticket(label, date)) }
        }
        try await world.removing(world.body) {
            // two objects together and then alone, 50 times
            await world.journal.entries(150)
            // a commit doesn't begin another attempt
            try await world.add(("f", -9))
            try await wait(for: world.realm.objects(Ticket.self)) { $0.count == 121 }
            expectEqual(world.journal.entries.count, 150)
            world.stubborn.value = []
            try await world.left(within: .seconds(1))
        }
        expectEqual(world.receipts, (labels + ["f"]).sorted())
    }

    @Test func clockThatIsSetBackDoesNotProlongADelay() async throws {
        let world = try await ExpiryWorld()
        world.stubborn.value = ["a"]
        try await world.realm.write { tx in try tx.add(Ticket("a", .distantPast)) }
        world.offset.value = 1e9
        try await world.removing(world.body) {
            try await world.clock.sleeps(1)
            world.stubborn.value = []
            world.offset.value = 0
            try await world.left(within: .seconds(1))
        }
    }

    @Test func removalThatARuleDeniesIsAFailure() async throws {
        let world = try await ExpiryWorld()
        try await world.add(("a", -3), ("b", -2), ("c", -1))
        try await world.realm.write { tx in
            let seat = try tx.create(Seat.self, value: [:])
            seat.ticket = tx.objects(Ticket.self).where { $0.label == "b" }.first
        }
        try await world.removing(world.body) {
            try await world.left("b")
            expectEqual(world.receipts, ["a", "c"])
            try await world.realm.write { tx in tx.delete(tx.objects(Seat.self)) }
            try await world.left(within: .seconds(1))
        }
        expectEqual(world.receipts, ["a", "b", "c"])
    }

    @Test func objectThatIsDeletedDuringItsDelayIsForgotten() async throws {
        let world = try await ExpiryWorld()
        world.stubborn.value = ["a"]
        try await world.add(("a", -1))
        try await world.removing(world.body) {
            await world.journal.entries(1)
            try await world.realm.write { tx in tx.delete(tx.objects(Ticket.self)) }
            try await world.add(("b", -1))
            try await world.left()
        }
        expectEqual(world.receipts, ["b"])
    }

    @Test func earlierDatesAreRemovedFirstAfterOthersWereDeletedDuringTheirDelay() async throws {
        let world = try await ExpiryWorld { $0.batchSize = 1 }
        world.stubborn.value = ["a"]
        try await world.add(("a", -5))
        let start = world.clock.date
        try await world.removing(world.body) {
            await world.journal.entries(1)
            try await world.sleeping()
            try await world.realm.write { tx in
                tx.delete(tx.objects(Ticket.self))
                try tx.add(Ticket("b", start - 1))
                try tx.add(Ticket("c", start - 9))
            }
            try await world.left()
        }
        expectEqual(world.journal.entries, ["a", "c", "b"])
    }

    @Test func linksBetweenObjectsDoNotMatter() async throws {
        let world = try await ExpiryWorld()
        let start = world.clock.date
        try await world.realm.write { tx in
            var last: Ticket?
            for number in 0..<20 {
                let ticket = Ticket("\(number)", start - Double(number % 3))
                try tx.add(ticket)
                ticket.origin = last
                last = ticket
            }
            last?.expiresAt = .distantFuture
        }
        try await world.removing { try await world.left("19") }
        let last = try requireValue(world.realm.snapshot().objects(Ticket.self).first)
        expectNil(last.origin)
    }
}

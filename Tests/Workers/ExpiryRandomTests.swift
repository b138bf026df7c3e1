import Foundation
import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels
@testable import RegnumWorkers

/// Random histories of objects that expire (they are added, prolonged and deleted; bodies throw;
/// calls begin and end; clocks are set; time passes) against a model in plain Swift.
@Suite struct ExpiryRandomTests {
    @Test func objectsAreRemovedOnceAndNotBeforeTheirDate() async throws {
        let runs = NumberedRuns("ExpiryRandomTests", count: Effort.count(gate: 40, soak: 1_500))
        try await runs.run { _, seed in
            var history = try await ExpiryHistory(seed)
            try await history.run()
        }
    }
}

/// A realm with tickets, and its model.
private struct ExpiryHistory {
    private var random: SeededRandom
    private let world: ExpiryWorld
    private var calls: [Task<Void, any Error>] = []
    /// The dates of the tickets that this history hasn't deleted, by label.
    private var dates: [String: Date] = [:]
    private var ticketCount = 0
    /// What bodies have found to be wrong.
    private let problems = Mutexed<[String]>([])

    init(_ seed: UInt64) async throws {
        var random = SeededRandom(seed)
        let size = random.oneOf([1, 2, 5, 1_000])
        self.random = random
        world = try await ExpiryWorld { $0.batchSize = size }
    }

    mutating func run() async throws {
        do {
            for _ in 0..<40 { try await step() }
            try await settle()
        } catch {
            for call in calls { call.cancel() }
            throw error
        }
        try await endCalls()
        try check(world.realm.stats().streams == 0, "streams are left")
    }

    private mutating func step() async throws {
        switch random.below(16) {
        case 0...4: try await add()
        case 5, 6: try await prolong()
        case 7: try await delete()
        case 8, 9: calls.append(world.start(body))
        case 10:
            if !calls.isEmpty { try await end(calls.remove(at: random.below(calls.count))) }
        case 11, 12: world.clock.advance(by: .seconds(random.below(40)))
        case 13:
            let labels = (0..<random.below(4)).map { _ in "\(random.below(ticketCount + 1))" }
            world.stubborn.value = Set(labels)
        case 14:
            // never before an earlier date, which an object may have been removed at
            world.offset.value += Double(random.below(100))
        default: try await settle()
        }
    }

    // MARK: Steps

    private var now: Date { world.options.time.now() }

    private mutating func date() -> Date {
        switch random.below(12) {
        case 0: .distantFuture
        case 1: .distantPast
        case 2: now
        case 3: Date(timeIntervalSince1970: 1_000_000_000)
        default: now + Double(random.below(200) - 60) / random.oneOf([1, 1, 3])
        }
    }

    private mutating func add() async throws {
        var tickets: [(label: String, date: Date)] = []
        for _ in 0...random.below(12) {
            tickets.append(("\(ticketCount)", date()))
            ticketCount += 1
        }
        for ticket in tickets { dates[ticket.label] = ticket.date }
        try await world.realm.write { [tickets] tx in
            for ticket in tickets { try tx.add(Ticket(ticket.label, ticket.date)) }
        }
    }

    /// Changes the date of a ticket, unless it was removed before.
    private mutating func prolong() async throws {
        guard ticketCount > 0 else { return }
        let (label, date) = ("\(random.below(ticketCount))", self.date())
        let isThere = try await world.realm.write { tx in
            let ticket = tx.objects(Ticket.self).where { $0.label == label }.first
            ticket?.expiresAt = date
            return ticket != nil
        }
        if isThere { dates[label] = date }
    }

    private mutating func delete() async throws {
        guard ticketCount > 0 else { return }
        let label = "\(random.below(ticketCount))"
        let isThere = try await world.realm.write { tx in
            let ticket = tx.objects(Ticket.self).where { $0.label == label }.first
            if let ticket { tx.delete(ticket) }
            return ticket != nil
        }
        if isThere { dates[label] = nil }
    }

    // MARK: Calls

    /// A body that writes receipts, and reports tickets that haven't expired.
    private var body: ExpiryWorld.Body {
        let (write, time, size) = (world.body, world.options.time, world.options.batchSize)
        return { [problems] tx, tickets in
            if tickets.isEmpty || tickets.count > size {
                problems.value.append("\(tickets.count) tickets")
            }
            for ticket in tickets where ticket.expiresAt > time.now() {
                problems.value.append("the ticket \(ticket.label) hasn't expired")
            }
            try write(tx, tickets)
        }
    }

    /// Ends a call, at any point of what it does.
    private func end(_ call: Task<Void, any Error>) async throws {
        call.cancel()
        try await call.value
    }

    private mutating func endCalls() async throws {
        for call in calls { try await end(call) }
        calls = []
    }

    /// Lets time pass until the calls have removed what has expired, and compares the rest.
    private mutating func settle() async throws {
        if calls.isEmpty { calls.append(world.start(body)) }
        world.stubborn.value = []
        for _ in 0..<100_000 {
            if Set(world.labels) == expected { break }
            world.clock.advance(by: .seconds(5))
            try await Task.sleep(for: .milliseconds(1))
        }
        let labels = world.labels
        try check(Set(labels) == expected, "\(labels) instead of \(expected.sorted())")
        let problems = problems.value
        try check(problems.isEmpty, "\(problems)")
        // each ticket that was removed has one receipt, and no other has
        let receipts = world.receipts
        try check(Set(receipts).count == receipts.count, "removed twice: \(receipts)")
        let removed = Set(dates.keys).subtracting(expected)
        try check(Set(receipts) == removed, "\(receipts) instead of \(removed.sorted())")
    }

    /// The labels of the tickets that haven't expired.
    private var expected: Set<String> {
        let now = self.now
        return Set(dates.filter { $0.value > now }.keys)
    }

    private func check(_ condition: Bool, _ problem: String) throws {
        if !condition { throw RunFailure(problem) }
    }
}

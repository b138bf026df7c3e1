import Foundation
import Regnum
import RegnumTestSupport
import RegnumTesting
import Synchronization

@testable import RegnumTestModels
@testable import RegnumWorkers

/// An object that expires.
final class Ticket: Object {
    @Persisted var label: String
    @Persisted(indexed: true) var expiresAt: Date
    @Persisted var origin: Ticket?
    @Persisted var useCount: Int

    var limit: Date { expiresAt + 1 }
}

/// An object that may expire.
final class Draft: Object {
    @Persisted var label: String
    @Persisted(indexed: true) var expiresAt: Date?
    @Persisted var sentAt: Date?
    @Persisted var ticket: Ticket?
}

/// An object that keeps the ticket that it refers to.
final class Seat: Object {
    @Persisted(onDelete: .deny) var ticket: Ticket?
}

extension Ticket {
    convenience init(_ label: String, _ expiresAt: Date) {
        self.init()
        self.label = label
        self.expiresAt = expiresAt
    }
}

/// A realm with tickets, and clocks that only the test moves.
struct ExpiryWorld: Sendable {
    typealias Body = @Sendable (Transaction, [Ticket]) throws -> Void

    static let types: [ObjectBase.Type] = [Ticket.self, Draft.self, Seat.self, Receipt.self]

    let clock = ManualClock()
    let realm: Realm
    let journal = Journal()
    /// What is added to the date, as if the clock had been set.
    let offset = Mutexed(0.0)
    /// The labels of tickets for which the body of `receipts` throws.
    let stubborn = Mutexed<Set<String>>([])
    var options = ExpiryOptions()

    init(_ change: (inout ExpiryOptions) -> Void = { _ in }) async throws {
        realm = try await Realm.temporary(Self.types)
        options.time = WorkerTime(clock: clock) { [clock, offset] in clock.date + offset.value }
        options.logger = nil
        change(&options)
    }

    /// The labels of the tickets that are there, sorted.
    var labels: [String] { realm.snapshot().objects(Ticket.self).map(\.label).sorted() }

    /// The texts of the receipts, sorted.
    var receipts: [String] { realm.snapshot().objects(Receipt.self).map(\.text).sorted() }

    /// Adds tickets with the number of seconds after which they expire.
    func add(_ tickets: (label: String, seconds: Double)...) async throws {
        let start = clock.date
        try await realm.write { tx in
            for (label, seconds) in tickets { try tx.add(Ticket(label, start + seconds)) }
        }
    }

    /// A body that writes a receipt for each ticket and reports their labels.
    var body: Body {
        { [journal, stubborn] tx, tickets in
            journal.add(tickets.map(\.label).sorted().joined(separator: " "))
            for ticket in tickets {
                try tx.add(Receipt(ticket.label))
                if stubborn.value.contains(ticket.label) { throw Failure() }
            }
        }
    }

    /// Removes tickets when they expire, until `wait` returns.
    func removing(_ body: @escaping Body, during wait: () async throws -> Void) async throws {
        let run = start(body)
        do {
            try await wait()
        } catch {
            run.cancel()
            throw error
        }
        run.cancel()
        try await run.value
    }

    /// Removes tickets when they expire, until `wait` returns.
    func removing(during wait: () async throws -> Void) async throws {
        try await removing({ _, _ in }, during: wait)
    }

    /// Starts to remove tickets when they expire.
    func start(_ body: @escaping Body) -> Task<Void, any Error> {
        Task { [realm, options] in
            try await realm.removeExpired(
                Ticket.self, at: \.expiresAt, options: options, body)
        }
    }

    /// Waits until a call of `removeExpired` waits.
    func sleeping() async throws {
        while clock.sleeperCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// Waits until only the tickets with some labels are there.
    func left(_ labels: String...) async throws {
        try await wait(for: realm.objects(Ticket.self)) { tickets in
            tickets.map(\.label).sorted() == labels
        }
    }

    /// Lets time pass until only the tickets with some labels are there.
    func left(_ labels: String..., within step: Duration) async throws {
        try await clock.advance(by: step) { self.labels == labels }
    }
}

/// A value that a test changes while handlers read it.
final class Mutexed<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

import Regnum
import RegnumTestSupport
import Testing

/// A number that code of the program computes when the object is stored.
private struct Drawn: CustomPersistable {
    var draw: () -> Int

    init(_ draw: @escaping () -> Int) { self.draw = draw }
    init(persistedValue: Int) { draw = { persistedValue } }
    var persistableValue: Int { draw() }
}

private final class Ticket: Object {
    @Persisted var first: Int?
    @Persisted var number: Drawn
    @Persisted var last: Int

    convenience init(_ first: Int?, _ last: Int, _ draw: @escaping () -> Int) {
        self.init()
        (self.first, number, self.last) = (first, Drawn(draw), last)
    }

    var content: [Int?] { [first, number.draw(), last] }
}

/// Projected types whose conversions change the transaction.
@Suite struct ConversionWriteTests {
    @Test func aConversionMayAddAnObjectOfTheSameClass() async throws {
        let realm = try await Realm.temporary([Ticket.self])
        try await realm.write { tx in
            var isNew = true
            let draw = {
                if isNew {
                    isNew = false
                    do { try tx.add(Ticket(nil, 4) { 5 }) } catch { Issue.record(error) }
                }
                return 2
            }
            try tx.add(Ticket(1, 3, draw))
        }
        try await realm.read { tx in
            let tickets = tx.objects(Ticket.self)
            expectEqual(tickets.map(\.content), [[nil, 5, 4], [1, 2, 3]])
        }
    }

    @Test func aConversionMaySetAPropertyOfAnotherObject() async throws {
        let realm = try await Realm.temporary([Ticket.self])
        try await realm.write { tx in
            let other = Ticket(nil, 4) { 5 }
            try tx.add(other)
            let draw = {
                other.last = 1 << 40  // needs a wider column
                return 2
            }
            try tx.add(Ticket(1, 3, draw))
        }
        try await realm.read { tx in
            let tickets = tx.objects(Ticket.self)
            expectEqual(tickets.map(\.content), [[nil, 5, 1 << 40], [1, 2, 3]])
        }
    }
}

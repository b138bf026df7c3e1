import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// First objects and counts, computed without the rest.
@Suite struct PrefixTests {
    private func people(_ count: Int) async throws -> Realm {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            for number in 0..<count { try tx.add(Person("p", age: (number * 7919) % count)) }
        }
        return realm
    }

    // Covers 3.103
    @Test func aPrefixIsTheBeginningOfTheWhole() async throws {
        let realm = try await people(3_000)
        let snapshot = realm.snapshot()
        for limit in [0, 1, 10, 2_999, 3_000, 5_000] {
            let sorted = snapshot.objects(Person.self).sorted(by: \.age)
            expectEqual(sorted.prefix(limit).map(\.age), Array(0..<min(limit, 3_000)))
            let filtered = snapshot.objects(Person.self).where { $0.age >= 1_000 }
            expectEqual(filtered.prefix(limit).count, min(limit, 2_000))
            expectEqual(filtered.prefix(limit).map(\.age), Array(filtered.map(\.age).prefix(limit)))
        }
        expectEqual(
            snapshot.objects(Person.self).sorted(by: \.age, ascending: false).first?.age, 2_999)
        expectNil(snapshot.objects(Person.self).where { $0.age > 5_000 }.first)
    }

    @Test func inATransactionItShowsTheStateOfTheMoment() async throws {
        let realm = try await people(100)
        try await realm.write { tx in
            let sorted = tx.objects(Person.self).sorted(by: \.age)
            expectTrue(sorted.prefix(3).map(\.age) == [0, 1, 2] && sorted.first?.age == 0)
            sorted[0].age = 1_000
            expectTrue(sorted.prefix(3).map(\.age) == [1, 2, 3] && sorted.last?.age == 1_000)
            tx.delete(sorted[0])
            expectTrue(sorted.count == 99 && sorted.prefix(1).map(\.age) == [2])
            expectEqual(sorted.prefix(200).count, 99)
        }
    }

    @Test func accessorsThatAreHeldStayWhatTheyAre() async throws {
        let realm = try await people(50)
        try await realm.read { tx in
            let held = Array(tx.objects(Person.self).sorted(by: \.age))
            var last: Person?
            for person in tx.objects(Person.self).sorted(by: \.age) {
                if let last { expectEqual(last.age, person.age - 1) }
                last = person
            }
            expectEqual(held.map(\.age), Array(0..<50))
        }
    }

    @Test func heldSnapshotsAreNamedWithTheirPlace() async throws {
        let realm = try await people(2_000)
        let old = realm.snapshot()
        try await realm.write { tx in
            for person in tx.objects(Person.self) { person.age = 0 }
        }
        var held = realm.stats().snapshots
        expectTrue(
            held.count == 1 && held[0].version == old.version && held[0].heldByteCount > 2_000)
        expectTrue(held[0].place.contains("PrefixTests.swift"))
        expectEqual(old.objects(Person.self).max(of: \.age), 1_999)
        _ = consume old
        held = realm.stats().snapshots
        expectTrue(held.isEmpty)
    }
}

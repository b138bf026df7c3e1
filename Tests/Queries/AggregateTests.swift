import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Sums, averages, minimums and maximums of properties, in both views that have them.
@Suite struct AggregateTests {
    private func people() async throws -> Realm {
        let realm = try await Realm.temporary([Person.self, Room.self])
        try await realm.write { tx in
            try tx.add(Person("a", age: 30, height: 1.5))
            try tx.add(Person("b", age: -7, height: nil))
            try tx.add(Person("c", age: 300, height: 2.25))
            try tx.add(Person("d", age: 4, height: .nan))
        }
        return realm
    }

    // Covers 2.24
    @Test func sumsMeansAndBoundsLeaveNilOut() async throws {
        let realm = try await people()
        let frozen = realm.snapshot().objects(Person.self)
        expectEqual(frozen.sum(of: \.age), 327)
        expectEqual(frozen.average(of: \.age), 81.75)
        expectTrue(frozen.min(of: \.age) == -7 && frozen.max(of: \.age) == 300)
        expectTrue(frozen.min(of: \.height) == 1.5 && frozen.max(of: \.height) == 2.25)
        expectTrue(frozen.sum(of: \.height).isNaN)
        let numbers = frozen.where { $0.age != 4 }
        expectEqual(numbers.sum(of: \.height), 3.75)
        expectEqual(numbers.average(of: \.height), 1.875)
    }

    @Test func nothingHasTheSumZeroAndNoMeanAndNoBounds() async throws {
        let realm = try await people()
        let none = realm.snapshot().objects(Person.self).where { $0.age == 5 }
        expectTrue(none.sum(of: \.age) == 0 && none.average(of: \.age) == nil)
        expectTrue(none.min(of: \.age) == nil && none.max(of: \.height) == nil)
        let unknown = realm.snapshot().objects(Room.self)
        expectTrue(unknown.isEmpty && unknown.count == 0)
    }

    @Test func aTransactionSeesItsOwnChangesInThem() async throws {
        let realm = try await people()
        try await realm.write { tx in
            let people = tx.objects(Person.self)
            expectEqual(people.sum(of: \.age), 327)
            people[0].age = 1_000
            try tx.add(Person("e", age: 1))
            expectTrue(people.sum(of: \.age) == 1_298 && people.max(of: \.age) == 1_000)
            tx.delete(people[0])
            expectTrue(people.max(of: \.age) == 300 && people.count == 4)
        }
    }

    // Covers .invalidQuery
    @Test func aSumThatDoesNotFitFailsTheTransaction() async throws {
        let realm = try await people()
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                try tx.add(Person("big", age: .max))
                try tx.add(Person("bigger", age: .max))
                return tx.objects(Person.self).sum(of: \.age)
            }
        }
        expectTrue(error?.code == .invalidQuery && error?.property == "age")
        expectEqual(realm.snapshot().objects(Person.self).count, 4)
    }
}

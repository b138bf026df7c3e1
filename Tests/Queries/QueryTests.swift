import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct QueryTests {
    /// Makes five people with the heights 1.5, nil, NaN, 1.8 and 1.5.
    private func people() async throws -> Realm {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            try tx.add([
                Person("Ann", age: 30, height: 1.5, isActive: true),
                Person("bob", age: 20, height: nil),
                Person("Cid", age: 40, height: .nan, isActive: true),
                Person("Ann", age: 10, height: 1.8),
                Person("\u{e9}", age: 30, height: 1.5),
            ])
            tx.objects(Person.self)[1].limit = 20
        }
        return realm
    }

    /// Returns the ages that match a condition, checked in all three views.
    private func ages(
        _ realm: Realm, _ condition: @Sendable (Query<Person>) -> Query<Bool>
    ) async throws -> [Int] {
        let live = realm.objects(Person.self).where(condition).current.map(\.age)
        let frozen = realm.snapshot().objects(Person.self).where(condition).map(\.age)
        let read = try await realm.read { $0.objects(Person.self).where(condition).map(\.age) }
        let written = try await realm.write { $0.objects(Person.self).where(condition).map(\.age) }
        expectTrue(live == frozen && read == frozen && written == frozen)
        return frozen
    }

    // Covers 2.13, 3.1, 3.5
    @Test func comparesPropertiesWithValues() async throws {
        let realm = try await people()
        try await expectEqual(ages(realm) { $0.age == 30 }, [30, 30])
        try await expectEqual(ages(realm) { $0.age != 30 }, [20, 40, 10])
        try await expectEqual(ages(realm) { $0.age < 30 }, [20, 10])
        try await expectEqual(ages(realm) { $0.age <= 30 }, [30, 20, 10, 30])
        try await expectEqual(ages(realm) { $0.age > 30 }, [40])
        try await expectEqual(ages(realm) { $0.age >= 30 }, [30, 40, 30])
        try await expectEqual(ages(realm) { $0.name == "Ann" }, [30, 10])
        try await expectEqual(ages(realm) { $0.name > "Z" }, [20, 30])
    }

    @Test func comparesPropertiesWithProperties() async throws {
        let realm = try await people()
        try await expectEqual(ages(realm) { $0.age == $0.limit }, [20])
        try await expectEqual(ages(realm) { $0.age != $0.limit }, [30, 40, 10, 30])
        try await expectEqual(ages(realm) { $0.limit >= $0.age }, [20])
        try await expectEqual(ages(realm) { $0.limit < $0.age }, [30, 40, 10, 30])
        try await expectEqual(ages(realm) { $0.height == $0.height }, [30, 20, 10, 30])
    }

    // Covers 2.48, 3.6
    @Test func combinesConditions() async throws {
        let realm = try await people()
        try await expectEqual(ages(realm) { $0.age > 10 && $0.name == "Ann" }, [30])
        try await expectEqual(ages(realm) { $0.age < 20 || $0.age > 30 }, [40, 10])
        try await expectEqual(ages(realm) { !($0.age == 30) }, [20, 40, 10])
        let mixed = try await ages(realm) { !($0.age > 10 && $0.age < 40) || $0.isActive }
        expectEqual(mixed, [30, 40, 10])
        let both = realm.objects(Person.self).where { $0.age > 10 }.where { $0.age < 40 }
        expectEqual(both.current.map(\.age), [30, 20, 30])
    }

    @Test func boolPropertyIsACondition() async throws {
        let realm = try await people()
        try await expectEqual(ages(realm) { $0.isActive }, [30, 40])
        try await expectEqual(ages(realm) { !$0.isActive }, [20, 10, 30])
        try await expectEqual(ages(realm) { $0.isActive && $0.age == 40 }, [40])
        try await expectEqual(ages(realm) { $0.isActive == false && $0.age == 10 }, [10])
        try await expectEqual(ages(realm) { ($0.age == 30) == $0.isActive }, [30, 20, 10])
        try await expectEqual(ages(realm) { ($0.age == 30) != true }, [20, 40, 10])
    }

    @Test func optionalBoolPropertyIsTrueOrFalseOrNeither() async throws {
        let realm = try await Realm.temporary([Everything.self])
        try await realm.write { tx in
            for (id, flag) in [true, false, nil].enumerated() {
                let thing = Everything()
                thing.id = id
                thing.maybeFlag = flag
                try tx.add(thing)
            }
        }
        let things = realm.snapshot().objects(Everything.self)
        expectEqual(things.where { $0.maybeFlag }.map(\.id).count, 1)
        expectEqual(things.where { !$0.maybeFlag }.count, 1)
        expectEqual(things.where { !($0.maybeFlag == true) }.count, 2)
        expectTrue(things.where { $0.maybeFlag && $0.flag }.isEmpty)
        expectEqual(things.where { $0.maybeFlag == nil }.count, 1)
    }

    @Test func nilEqualsNilOnly() async throws {
        let realm = try await people()
        try await expectEqual(ages(realm) { $0.height == nil }, [20])
        try await expectEqual(ages(realm) { $0.height != nil }, [30, 40, 10, 30])
        try await expectEqual(ages(realm) { $0.height == 1.5 }, [30, 30])
        try await expectEqual(ages(realm) { $0.height != 1.5 }, [20, 40, 10])
        try await expectEqual(ages(realm) { $0.height > 1 }, [30, 10, 30])
        try await expectEqual(ages(realm) { !($0.height > 1) }, [20, 40])
        try await expectEqual(ages(realm) { $0.height <= nil }, [20])
        try await expectEqual(ages(realm) { $0.height < nil }, [])
        try await expectEqual(ages(realm) { $0.height == .nan }, [])
    }

    // Covers 2.16, 3.93
    @Test func sortsNilThenNaNFirst() async throws {
        let people = try await people().snapshot().objects(Person.self)
        expectEqual(people.sorted(by: \.height).map(\.age), [20, 40, 30, 30, 10])
        expectEqual(people.sorted(by: \.height, ascending: false).map(\.age), [10, 30, 30, 40, 20])
        expectEqual(people.sorted(by: \.name).map(\.name), ["Ann", "Ann", "Cid", "bob", "\u{e9}"])
        expectEqual(people.sorted(by: \.isActive).map(\.age), [20, 10, 30, 30, 40])
    }

    // Covers 2.48, 3.91, 3.92
    @Test func sortsBySeveralPropertiesAndStably() async throws {
        let people = try await people().snapshot().objects(Person.self)
        let byBoth = people.sorted(by: .ascending(\.name), .descending(\.age))
        expectEqual(byBoth.map(\.age), [30, 10, 40, 20, 30])
        expectEqual(people.sorted(by: \.age).map(\.name), ["Ann", "bob", "Ann", "\u{e9}", "Cid"])
        // A later sort takes precedence; the earlier one breaks ties.
        let chained = people.sorted(by: \.age, ascending: true).sorted(by: \.name)
        expectEqual(chained.map(\.age), [10, 30, 40, 20, 30])
        let filtered = people.sorted(by: \.age, ascending: false).where { $0.name == "Ann" }
        expectEqual(filtered.map(\.age), [30, 10])
    }

    // Covers 2.2, 2.3, 2.5
    @Test func collectionsHaveFirstLastCountAndSubscripts() async throws {
        let realm = try await people()
        let live = realm.objects(Person.self).sorted(by: \.age)
        expectTrue(live.count == 5 && !live.isEmpty)
        expectTrue(live.first?.age == 10 && live.last?.age == 40 && live[1].age == 20)
        let none = live.where { $0.age > 100 }
        expectTrue(none.isEmpty && none.first == nil && none.last == nil && none.count == 0)
        let frozen = live.current
        expectEqual(frozen[1...2].map(\.age), [20, 30])
        expectEqual(frozen.reversed().map(\.age), [40, 30, 30, 20, 10])
        try await realm.read { tx in
            let results = tx.objects(Person.self).sorted(by: \.age)
            expectTrue(results.first?.age == 10 && results.last?.age == 40)
            expectEqual(results[1..<3].map(\.age), [20, 30])
            expectEqual(results.firstIndex { $0.age == 40 }, 4)
        }
    }

    // Covers 2.44, 5.41
    @Test func resultsInAWriteShowTheCurrentState() async throws {
        let realm = try await people()
        try await realm.write { tx in
            let adults = tx.objects(Person.self).where { $0.age >= 30 }.sorted(by: \.age)
            expectEqual(adults.map(\.age), [30, 30, 40])
            adults[2].age = 5
            expectEqual(adults.map(\.age), [30, 30])
            try tx.add(Person("Eve", age: 35))
            expectEqual(adults.map(\.age), [30, 30, 35])
            tx.delete(adults[0])
            expectEqual(adults.count, 2)
        }
    }

    // Covers 2.7, 7.58
    @Test func loopWalksWhatWasThereWhenItStarted() async throws {
        let realm = try await people()
        try await realm.write { tx in
            var seen: [Int] = []
            for person in tx.objects(Person.self).where({ $0.age >= 20 }) {
                if person.isInvalidated {
                    seen.append(-1)
                    continue
                }
                seen.append(person.age)
                person.age = 0
                try tx.add(Person("new", age: 99))
                if seen.count == 1 { tx.delete(tx.objects(Person.self).where { $0.age == 40 }) }
            }
            expectEqual(seen, [30, 20, -1, 30])
        }
    }

    @Test func inheritedPropertiesAreQueriedAndSortedBy() async throws {
        let realm = try await Realm.temporary([Dog.self])
        try await realm.write { tx in
            for (chip, name) in ["Rex", "Max", "Ada"].enumerated() {
                let dog = Dog()
                dog.chip = chip
                dog.name = name
                dog.legs = 4 - chip
                try tx.add(dog)
            }
        }
        let dogs = realm.snapshot().objects(Dog.self)
        expectEqual(dogs.where { $0.legs > 2 }.sorted(by: \.name).map(\.name), ["Max", "Rex"])
        expectEqual(dogs.sorted(by: \.breed).sorted(by: \.legs).map(\.chip), [2, 1, 0])
    }

    @Test func primaryKeyAndIndexAnswerAsScansDo() async throws {
        let realm = try await Realm.temporary([Message.self])
        let ids = (0..<200).map { _ in ObjectId.generate() }
        try await realm.write { tx in
            for (number, id) in ids.enumerated() {
                let message = Message("room \(number % 7)", "\(number)")
                message.id = id
                try tx.add(message)
            }
        }
        let messages = realm.snapshot().objects(Message.self)
        for (number, id) in ids.enumerated() {
            expectEqual(messages.where { $0.id == id }.map(\.text), ["\(number)"])
        }
        for room in 0..<7 {
            let name = "room \(room)"
            let found = messages.where { $0.room == name }.map(\.text)
            expectTrue(found == (0..<200).filter { $0 % 7 == room }.map { "\($0)" })
            expectEqual(messages.where { !($0.room != name) }.map(\.text), found)
        }
    }

    @Test func classThatWasNeverStoredIsEmpty() async throws {
        let realm = try await Realm.temporary()
        expectTrue(realm.snapshot().objects(Room.self).isEmpty)
        expectNil(realm.snapshot().object(Room.self, forPrimaryKey: "x"))
        try await expectEqual(realm.read { $0.objects(Room.self).count }, 0)
        try await expectTrue(realm.read { $0.object(Room.self, forPrimaryKey: "x") == nil })
        expectTrue(realm.objects(Room.self).where { $0.name == "x" }.current.isEmpty)
    }
}

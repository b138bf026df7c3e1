import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The statements of "Supported Types - Swift SDK" (000, 001) about sets.
@Suite struct SetsTests {
    private typealias Dog = Sets.Dog

    /// "Like Swift's Set … reference types", "You can filter and sort a MutableSet", "you can
    /// register a change listener".
    @Test func setHoldsEachCityOnceAndTellsItsChanges() async throws {
        let realm = try await Realm.temporary([Dog.self])
        try await realm.write { tx in
            let dog = Dog(value: ["name": "Rex", "currentCity": "Rome"])
            let cities = dog.citiesVisited
            cities.insert(objectsIn: ["Rome", "Oslo", "Rome"])
            try tx.add(dog)
            cities.insert("Bern")
            expectEqual(Array(dog.citiesVisited), ["Bern", "Oslo", "Rome"])
            expectTrue(dog.citiesVisited.contains("Oslo") && !dog.citiesVisited.contains("Paris"))
        }
        let dogs = realm.objects(Dog.self)
        expectEqual(dogs.where { $0.citiesVisited.contains("Oslo") }.count, 1)
        expectEqual(dogs.where { $0.citiesVisited.contains("Paris") }.count, 0)
        var stream = dogs.changes(keyPaths: [\.citiesVisited]).makeAsyncIterator()
        guard case .initial? = try await stream.next() else { throw Unexpected() }
        try await realm.write { tx in
            let dog = tx.objects(Dog.self)[0]
            expectEqual(dog.citiesVisited.sorted(ascending: false), ["Rome", "Oslo", "Bern"])
            dog.citiesVisited.remove("Oslo")
        }
        guard case .update(let after, let delta)? = try await stream.next() else {
            throw Unexpected()
        }
        expectTrue(after[0].citiesVisited.array == ["Bern", "Rome"] && delta.modifications == [0])
        expectEqual(delta.modified[0].old.citiesVisited.array, ["Bern", "Oslo", "Rome"])
    }

    private struct Unexpected: Error {}

    @Test func bothFormsOfTheDefaultAreEmptySets() async throws {
        let realm = try await Realm.temporary([
            Sets.DefaultMadeWhenNeeded.self, Sets.DefaultGiven.self,
        ])
        try await realm.write { tx in
            let (first, second) = (Sets.DefaultMadeWhenNeeded(), Sets.DefaultGiven())
            expectTrue(first.value.isEmpty && second.value.isEmpty)
            for set in [first.value, second.value] { set.insert("a") }
            try tx.add(first)
            try tx.add(second)
            for set in [first.value, second.value] { set.insert("b") }
        }
        let snapshot = realm.snapshot()
        expectEqual(snapshot.objects(Sets.DefaultMadeWhenNeeded.self)[0].value.array, ["a", "b"])
        expectEqual(snapshot.objects(Sets.DefaultGiven.self)[0].value.array, ["a", "b"])
    }
}

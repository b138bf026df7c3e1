import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The statements of "Collections - Swift SDK" (004) and "Supported Types - Swift SDK" (000, 001)
/// about collections.
@Suite struct CollectionsTests {
    private typealias Person = Collections.Person
    private typealias Dog = Collections.Dog

    private static let types: [ObjectBase.Type] = [Person.self, Dog.self]

    /// Makes a realm in which Ann has Rex and Max.
    private static func make() async throws -> Realm {
        let realm = try await Realm.temporary(types)
        try await realm.write { tx in
            let ann = Person()
            ann.name = "Ann"
            ann.dogs.append(objectsIn: [Dog("Rex", age: 3), Dog("Max", age: 5)])
            try tx.add(ann)
        }
        return realm
    }

    @Test func resultsShowTheCurrentStateOfTheTransaction() async throws {
        let realm = try await Self.make()
        try await realm.write { tx in
            let old = tx.objects(Dog.self).where { $0.age > 3 }
            expectEqual(old.map(\.name), ["Max"])
            tx.object(Dog.self, forPrimaryKey: "Rex")?.age = 9
            expectEqual(old.map(\.name), ["Rex", "Max"])
            try tx.add(Dog("Tom", age: 4))
            expectEqual(old.count, 3)
        }
    }

    @Test func listsShowTheCurrentStateOfTheRelationship() async throws {
        let realm = try await Self.make()
        try await realm.write { tx in
            let ann = try requireValue(tx.object(Person.self, forPrimaryKey: "Ann"))
            let again = try requireValue(tx.object(Person.self, forPrimaryKey: "Ann"))
            let dogs = ann.dogs
            again.dogs.append(Dog("Tom"))
            expectEqual(dogs.map(\.name), ["Rex", "Max", "Tom"])
            again.dogs.removeFirst()
            expectEqual(dogs.map(\.name), ["Max", "Tom"])
            tx.delete(dogs[0])
            expectEqual(dogs.map(\.name), ["Tom"])
            expectEqual(tx.objects(Dog.self).map(\.name), ["Rex", "Tom"])
        }
    }

    @Test func listOfAnUnmanagedObjectIsPlainUntilTheObjectIsAdded() async throws {
        let realm = try await Self.make()
        try await realm.write { tx in
            let copy = Person(value: try requireValue(tx.object(Person.self, forPrimaryKey: "Ann")))
            let ann = try requireValue(tx.object(Person.self, forPrimaryKey: "Ann"))
            ann.dogs.removeAll()
            expectEqual(copy.dogs.map(\.name), ["Rex", "Max"])

            let bob = Person()
            bob.name = "Bob"
            let dogs = bob.dogs
            dogs.append(Dog("Tom"))
            try tx.add(bob)
            let again = try requireValue(tx.object(Person.self, forPrimaryKey: "Bob"))
            again.dogs.append(Dog("Lee"))
            expectEqual(dogs.map(\.name), ["Tom", "Lee"])
        }
    }

    @Test func frozenCollectionsStayAsTheyAre() async throws {
        let realm = try await Self.make()
        let dogs = realm.snapshot().objects(Dog.self)
        let ann = try requireValue(realm.snapshot().objects(Person.self).first)
        try await realm.write { tx in
            tx.object(Person.self, forPrimaryKey: "Ann")?.dogs.removeAll()
            tx.delete(tx.objects(Dog.self))
        }
        expectEqual(dogs.map(\.name), ["Rex", "Max"])
        expectEqual(ann.dogs.map(\.name), ["Rex", "Max"])
        expectTrue(realm.snapshot().objects(Dog.self).isEmpty)
        expectEqual(realm.snapshot().objects(Person.self).first?.dogs.isEmpty, true)
    }

    @Test func liveCollectionsShowTheNewestCommit() async throws {
        let realm = try await Self.make()
        let dogs = realm.objects(Dog.self).where { $0.age > 3 }
        expectEqual(dogs.current.map(\.name), ["Max"])
        try await realm.write { tx in tx.object(Dog.self, forPrimaryKey: "Rex")?.age = 9 }
        expectEqual(dogs.current.map(\.name), ["Rex", "Max"])
    }

    @Test func linkingObjectsAreTheInverseOfALink() async throws {
        let realm = try await Self.make()
        try await realm.write { tx in
            let rex = try requireValue(tx.object(Dog.self, forPrimaryKey: "Rex"))
            expectTrue(rex.owners.map(\.name) == ["Ann"] && rex.admirers.isEmpty)
            let bob = Person()
            bob.name = "Bob"
            bob.favorite = rex
            expectTrue(rex.admirers.isEmpty)
            try tx.add(bob)
            expectTrue(rex.admirers.map(\.name) == ["Bob"] && rex.owners.count == 1)
            // One entry for each link.
            bob.dogs.append(objectsIn: [rex, rex])
            expectEqual(rex.owners.map(\.name), ["Ann", "Bob", "Bob"])
            bob.favorite = nil
            tx.object(Person.self, forPrimaryKey: "Ann")?.dogs.removeFirst()
            expectTrue(rex.owners.map(\.name) == ["Bob", "Bob"] && rex.admirers.isEmpty)
        }
        let rex = try requireValue(realm.snapshot().object(Dog.self, forPrimaryKey: "Rex"))
        expectEqual(rex.owners.map(\.name), ["Bob", "Bob"])
        expectEqual(realm.snapshot().objects(Dog.self).where { $0.owners.count == 2 }.count, 1)
    }

    @Test func listsAreSortedAndFilteredAsResultsAre() async throws {
        let realm = try await Self.make()
        try await realm.write { tx in
            let ann = try requireValue(tx.object(Person.self, forPrimaryKey: "Ann"))
            expectEqual(ann.dogs.where { $0.age > 3 }.map(\.name), ["Max"])
            expectEqual(ann.dogs.sorted(by: \.name).map(\.name), ["Max", "Rex"])
            expectTrue(ann.dogs.max(of: \.age) == 5 && ann.dogs.sum(of: \.age) == 8)
        }
        let people = realm.snapshot().objects(Person.self)
        expectEqual(people.where { $0.dogs.age > 4 }.map(\.name), ["Ann"])
        expectEqual(people.where { $0.dogs.count == 2 }.count, 1)
    }

    @Test func thePagesOfAResultAreItsSlices() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            for number in 0..<1_000 { try tx.add(Dog("Dog \(number)", age: number)) }
        }
        try await realm.read { tx in
            let results = tx.objects(Dog.self).where { $0.age >= 500 }
            expectEqual(results.prefix(10).map(\.age), Array(500..<510))
            expectEqual(results[100..<200].map(\.age), Array(600..<700))
        }
        let frozen = realm.snapshot().objects(Dog.self).where { $0.age >= 500 }
        expectEqual(frozen.prefix(10).map(\.age), Array(500..<510))
        expectEqual(frozen[100..<200].map(\.age), Array(600..<700))
    }
}

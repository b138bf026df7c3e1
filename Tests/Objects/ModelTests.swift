import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct ModelTests {
    // Covers 1.9
    @Test func unmanagedObjectsBehaveAsPlainOnes() {
        let person = Person("Ann", age: 30)
        person.age += 1
        person.height = 1.7
        expectTrue(person.age == 31 && person.name == "Ann" && person.height == 1.7)
        expectTrue(!person.isManaged && !person.isInvalidated)
        expectTrue(person.isSameObject(as: person))
        expectTrue(!person.isSameObject(as: Person("Ann", age: 30)))
        expectTrue(!person.isSameObject(as: nil))
    }

    // Covers 1.22
    @Test func defaultsAreMadeOnceForEachInstance() {
        let first = Everything()
        let second = Everything()
        expectTrue(first.uuid == first.uuid && first.uuid != second.uuid)
        expectTrue(first.objectId == first.objectId && first.objectId != second.objectId)
        let before = Date()
        let date = first.date
        expectTrue(date >= before && date <= Date())
        expectEqual(first.date, date)
        expectTrue(second.date >= date)
        expectTrue(first.maybeDate == nil && first.maybeUuid == nil && first.maybeNumber == nil)
    }

    // Covers 1.22
    @Test func initialValueIsEvaluatedForEachInstance() {
        final class Tagged: Object {
            @Persisted var tag = UUID()
            @Persisted var zero: ObjectId = ObjectId()
        }
        expectTrue(Tagged().tag != Tagged().tag)
        expectEqual(Tagged().zero, ObjectId())
    }

    @Test func propertyObserversRunOnManagedObjectsToo() async throws {
        final class Watched: Object {
            @Persisted var number = 0 { didSet { log.append("\(oldValue)->\(number)") } }
            var log: [String] = []
        }
        let realm = try await Realm.temporary([Watched.self])
        let log = try await realm.write { tx in
            let watched = Watched()
            watched.number = 1
            try tx.add(watched)
            watched.number = 2
            return watched.log
        }
        expectEqual(log, ["0->1", "1->2"])
    }

    // Covers 1.54
    @Test func ignoredPropertiesBelongToTheAccessor() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            let person = Person("Ann", age: 1)
            person.ignored = 8
            try tx.add(person)
            expectEqual(person.ignored, 8)
            expectEqual(tx.objects(Person.self).first?.ignored, 7)
        }
    }

    // Covers 1.17
    @Test func subclassIsAClassOfItsOwnWithItsSuperclassesProperties() async throws {
        let realm = try await Realm.temporary()
        try await realm.write { tx in
            let dog = Dog()
            dog.name = "Rex"
            dog.chip = 5
            dog.rename(breed: "poodle")
            try tx.add(dog)
            let cat = Animal()
            cat.name = "Tom"
            try tx.add(cat)
            let found = try requireValue(tx.object(Dog.self, forPrimaryKey: 5))
            expectTrue(found.name == "Rex" && found.legs == 4 && found.breed == "poodle")
            found.name = "Max"
            expectEqual(dog.name, "Max")
            expectEqual(tx.objects(Animal.self).map(\.name), ["Tom"])
            expectEqual(tx.objects(Dog.self).where { $0.name == "Max" && $0.legs == 4 }.count, 1)
        }
    }

    // Covers 1.11
    @Test func sameRowHasEqualIdentityAcrossAccessors() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            let ann = Person("Ann", age: 1)
            try tx.add([ann, Person("Bob", age: 2)])
            let people = tx.objects(Person.self)
            expectTrue(people[0] !== ann)
            expectTrue(people[0].isSameObject(as: ann))
            expectTrue(!people[1].isSameObject(as: ann))
        }
    }

    @Test func rowMadeAfterADeletionIsNotTakenForTheDeletedOne() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            let first = Person("Ann", age: 1)
            try tx.add(first)
            tx.delete(first)
            try tx.add(Person("Bob", age: 2))
            expectTrue(first.isInvalidated)
        }
    }

    @Test func objectOfAnAbortedTransactionIsInvalid() async throws {
        struct Stop: Error {}
        // Guard: written in the body, read after it by the same task.
        final class Box: @unchecked Sendable { var person: Person? }
        let realm = try await Realm.temporary([Person.self])
        let box = Box()
        await #expect(throws: Stop.self) {
            try await realm.write { tx in
                let person = Person("Ann", age: 1)
                try tx.add(person)
                box.person = person
                throw Stop()
            }
        }
        expectEqual(box.person?.isInvalidated, true)
    }

    @Test func computedPropertiesRunOnManagedObjects() async throws {
        let realm = try await Realm.temporary([Message.self])
        let headline = try await realm.write { tx in
            let message = Message("general", "hello")
            message.author = "Ann"
            try tx.add(message)
            return try requireValue(tx.objects(Message.self).first).headline
        }
        expectEqual(headline, "Ann: hello")
    }
}

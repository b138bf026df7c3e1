import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The statements of "Object Models - Swift SDK" (003) about classes and properties.
@Suite struct ObjectModelsTests {
    @Test func modelIsDefinedByAClass() async throws {
        typealias Dog = DefineAModel.Dog
        let realm = try await Realm.temporary([Dog.self])
        let start = Date()
        let id = try await realm.write { tx in
            let dog = Dog()
            dog.name = "Fido"
            try tx.add(dog)
            return dog._id
        }
        let dog = try requireValue(realm.snapshot().object(Dog.self, forPrimaryKey: id))
        expectTrue(dog.name == "Fido" && dog.breed == nil && dog.dateOfBirth >= start)
    }

    @Test func classThatIsNotInTheSchemaIsNotStored() async {
        // "Every Realm object must conform to an object type that's included in its realm's
        // schema."
        await #expect(processExitsWith: .failure) {
            let realm = try await Realm.temporary([DefineAModel.Dog.self])
            try await realm.write { tx in try tx.add(Inheritance.Base()) }
        }
    }

    @Test func unmanagedCopyIsMadeOfAManagedObject() async throws {
        // let standaloneModelObject = MyModel(value: persistedModelObject)
        typealias Dog = DefineAModel.Dog
        let realm = try await Realm.temporary([Dog.self])
        try await realm.write { tx in
            let persistedModelObject = Dog()
            persistedModelObject.name = "Fido"
            persistedModelObject.breed = "poodle"
            try tx.add(persistedModelObject)
            let standaloneModelObject = Dog(value: persistedModelObject)
            expectTrue(!standaloneModelObject.isManaged)
            expectTrue(
                standaloneModelObject.name == "Fido" && standaloneModelObject.breed == "poodle")
            expectEqual(standaloneModelObject._id, persistedModelObject._id)
            standaloneModelObject.name = "Rex"
            expectEqual(persistedModelObject.name, "Fido")
        }
    }

    // Covers 1.47
    @Test func propertiesAreOptionalOrRequired() async throws {
        typealias Person = OptionalAndRequiredProperties.Person
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            let jane = Person()
            jane.name = "Jane"
            jane.heightCm = 167.5
            try tx.add([jane, Person()])
        }
        let people = realm.snapshot().objects(Person.self)
        expectTrue(people.map(\.name) == ["Jane", ""] && people.map(\.ageYears) == [0, 0])
        expectTrue(people.map(\.address) == [nil, nil] && people.map(\.heightCm) == [167.5, nil])
        expectEqual(people.where { $0.heightCm == nil }.count, 1)
    }

    @Test func primaryKeyIsUnique() async throws {
        typealias Project = SpecifyAPrimaryKey.Project
        let realm = try await Realm.temporary([Project.self])
        try await realm.write { tx in try tx.add(Project()) }
        await expect(.duplicatePrimaryKey) {
            try await realm.write { tx in try tx.add(Project()) }
        }
        expectEqual(realm.snapshot().objects(Project.self).count, 1)
    }

    @Test func primaryKeyIsImmutableOnceStored() async throws {
        typealias Project = SpecifyAPrimaryKey.Project
        let realm = try await Realm.temporary([Project.self])
        await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let project = Project()
                project.id = 1
                try tx.add(project)
                project.id = 2
            }
        }
        // "you must delete the original object and insert a new object"
        try await realm.write { tx in
            let project = Project()
            try tx.add(project)
            let other = Project(value: ["id": 2, "name": project.name])
            tx.delete(project)
            try tx.add(other)
        }
        expectEqual(realm.snapshot().objects(Project.self).map(\.id), [2])
    }

    @Test func objectsAreFoundAndUpdatedByTheirPrimaryKey() async throws {
        typealias Project = SpecifyAPrimaryKey.Project
        let realm = try await Realm.temporary([Project.self])
        try await realm.write { tx in
            try tx.create(Project.self, value: ["id": 7, "name": "seven"])
            try tx.create(Project.self, value: ["id": 7, "name": "SEVEN"], update: .modified)
            expectEqual(tx.object(Project.self, forPrimaryKey: 7)?.name, "SEVEN")
        }
        expectEqual(realm.snapshot().object(Project.self, forPrimaryKey: 7)?.name, "SEVEN")
        expectNil(realm.snapshot().object(Project.self, forPrimaryKey: 8))
    }

    @Test func classHasOnePrimaryKeyAndEmbeddedObjectsNone() async throws {
        await #expect(throws: Realm.Error.self) {
            _ = try await Realm.temporary([SpecifyAPrimaryKey.TwoKeys.self])
        }
        await #expect(throws: Realm.Error.self) {
            _ = try await Realm.temporary([
                SpecifyAPrimaryKey.Whole.self, SpecifyAPrimaryKey.KeyedPart.self,
            ])
        }
    }

    // Covers 1.70, 10.1
    @Test func everyTypeThatIsListedCanHaveAnIndex() async throws {
        typealias EveryIndex = IndexAProperty.EveryIndex
        typealias Book = IndexAProperty.Book
        let realm = try await Realm.temporary([EveryIndex.self, Book.self])
        let uuid = UUID()
        let date = Date(timeIntervalSinceReferenceDate: 1)
        let objectId = ObjectId.generate()
        try await realm.write { tx in
            let object = EveryIndex()
            object.text = "a"
            (object.int, object.int8, object.int16) = (1, 2, 3)
            (object.int32, object.int64, object.flag) = (4, 5, true)
            (object.date, object.uuid, object.objectId) = (date, uuid, objectId)
            object.any = .int(6)
            let other = EveryIndex()
            other.any = .string("6")
            try tx.add([object, other])
            try tx.create(Book.self, value: ["title": "One", "priceCents": 100])
            try tx.create(Book.self, value: ["title": "Two", "priceCents": 200])
        }
        let all = realm.snapshot().objects(EveryIndex.self)
        expectTrue(all.where { $0.text == "a" }.count == 1 && all.where { $0.int == 1 }.count == 1)
        expectTrue(all.where { $0.int8 == 2 }.count == 1 && all.where { $0.int16 == 3 }.count == 1)
        expectTrue(all.where { $0.int32 == 4 }.count == 1 && all.where { $0.int64 == 5 }.count == 1)
        expectEqual(all.where { $0.flag == true }.count, 1)
        expectEqual(all.where { $0.date == date }.count, 1)
        expectEqual(all.where { $0.uuid == uuid }.count, 1)
        expectEqual(all.where { $0.objectId.in([objectId, .generate()]) }.count, 1)
        expectEqual(all.where { $0.any == .int(6) }.map(\.text), ["a"])
        expectEqual(all.where { $0.any == .double(6) }.map(\.text), ["a"])
        expectEqual(all.where { $0.any == .string("6") }.map(\.text), [""])
        expectTrue(all.where { $0.any == .none }.isEmpty)
        try await realm.write { tx in tx.objects(EveryIndex.self)[0].any = .fromArray([.int(6)]) }
        let later = realm.snapshot().objects(EveryIndex.self)
        expectTrue(later.where { $0.any == .int(6) }.isEmpty)
        let books = realm.snapshot().objects(Book.self)
        expectEqual(books.where { $0.title.in(["Two", "Three"]) }.map(\.priceCents), [200])
    }

    @Test func ignoredPropertiesBehaveAsNormalOnesAndAreNotStored() async throws {
        typealias Person = IgnoreAProperty.Person
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            let person = Person()
            (person.firstName, person.lastName, person.tmpId) = ("Jane", "Doe", 7)
            try tx.add(person)
            expectTrue(person.tmpId == 7 && person.name == "Jane Doe")
            expectEqual(tx.objects(Person.self).first?.tmpId, 0)
        }
        let person = try requireValue(realm.snapshot().objects(Person.self).first)
        expectTrue(person.tmpId == 0 && person.name == "Jane Doe")
    }

    @Test func ignoredPropertiesTriggerNothing() async throws {
        typealias Person = IgnoreAProperty.Person
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in try tx.add(Person()) }
        let version = realm.snapshot().version
        try await realm.write { tx in tx.objects(Person.self).first?.tmpId = 7 }
        expectEqual(realm.snapshot().version, version)
    }

    @Test func ignoredPropertiesCannotBeQueried() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Realm.temporary([IgnoreAProperty.Person.self])
            _ = realm.snapshot().objects(IgnoreAProperty.Person.self).where { $0.tmpId == 7 }.count
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expectTrue(text.contains("Person"))
    }

    @Test func enumsAreStoredByTheirRawValue() async throws {
        typealias Task = DeclareEnumProperties.Task
        expectTrue(Task().status == .notStarted && Task().optionalTaskStatusEnum == nil)
        let realm = try await Realm.temporary([Task.self])
        try await realm.write { tx in
            let task = Task()
            task.status = .inProgress
            task.optionalTaskStatusEnum = .complete
            try tx.add([task, Task()])
        }
        let tasks = realm.snapshot().objects(Task.self)
        expectEqual(tasks.map(\.status), [.inProgress, .notStarted])
        expectEqual(tasks.map(\.optionalTaskStatusEnum), [.complete, nil])
        expectEqual(tasks.where { $0.status == .inProgress }.count, 1)
        expectEqual(tasks.where { $0.optionalTaskStatusEnum != .complete }.count, 1)
        expectEqual(tasks.where { $0.status.in([.notStarted, .complete]) }.count, 1)
        expectEqual(tasks.sorted(by: \.status).map(\.status), [.inProgress, .notStarted])
    }

    // Covers 1.51
    @Test func enumsHaveAnyRawType() async throws {
        typealias EveryRawType = DeclareEnumProperties.EveryRawType
        let realm = try await Realm.temporary([EveryRawType.self])
        try await realm.write { tx in
            let object = EveryRawType()
            expectTrue(object.level == .low && object.narrow == .down)
            expectTrue(object.ratio == .half && object.share == .tenth)
            (object.level, object.narrow) = (.high, .up)
            (object.ratio, object.share) = (.whole, .all)
            object.states.append(objectsIn: [.complete, .notStarted])
            try tx.add(object)
        }
        let object = try requireValue(
            realm.snapshot().object(
                EveryRawType.self, forPrimaryKey: DeclareEnumProperties.Level.high))
        expectTrue(object.narrow == .up && object.ratio == .whole && object.share == .all)
        expectEqual(object.states.map { $0 }, [.complete, .notStarted])
        expectEqual(
            realm.snapshot().objects(EveryRawType.self).where { $0.narrow > .down }.count, 1)
    }
}

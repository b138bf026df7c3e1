import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Objects in values of any type.
@Suite struct AnyLinkTests {
    // Covers 1.84
    @Test func unmanagedObjectsAreAddedAndReadBack() async throws {
        let folder = try RealmFolder()
        var realm = try await Realm.open(folder.configuration("any.realm", anyClasses))
        try await realm.write { tx in
            let note = AnyNote(1, .object(AnyPet("Rex")))
            note.list.append(objectsIn: [.object(AnyPet("Bo")), .int(1)])
            note.map["pet"] = .object(AnyPet("Ida"))
            note.set.insert(.object(AnyPet("Max")))
            try tx.add(note)
            expectEqual(tx.objects(AnyPet.self).count, 4)
            note.label = .object(AnyPet("Lea"))
            note.list.append(.object(AnyPet("Tom")))
            note.map["other"] = .object(AnyPet("Uma"))
            let pet = try requireValue(note.set.first?.object(AnyPet.self))
            expectTrue(pet.name == "Max" && note.set.contains(.object(pet)))
            note.set.insert(.object(pet))
            expectEqual(note.set.count, 1)
            expectEqual(note.content.object(AnyPet.self)?.name, "Rex")
        }
        await realm.close()
        realm = try await Realm.open(folder.configuration("any.realm", anyClasses))
        try await realm.write { tx in
            let note = try requireValue(tx.object(AnyNote.self, forPrimaryKey: 1))
            expectEqual(note.content.object(AnyPet.self)?.name, "Rex")
            expectEqual(note.label.object(AnyPet.self)?.name, "Lea")
            expectEqual(note.list.map { $0.object(AnyPet.self)?.name }, ["Bo", nil, "Tom"])
            expectEqual(note.map["other"]?.object(AnyPet.self)?.name, "Uma")
            expectEqual(
                note.map["pet"],
                .object(try requireValue(tx.object(AnyPet.self, forPrimaryKey: "Ida")))
            )
        }
        let frozen = try requireValue(realm.snapshot().object(AnyNote.self, forPrimaryKey: 1))
        expectEqual(frozen.content.object(AnyPet.self)?.name, "Rex")
        expectEqual(frozen.list[0].object(AnyPet.self)?.name, "Bo")
        await realm.close()
    }

    @Test func deletedTargetsLeaveNone() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            let pet = AnyPet("Rex")
            let note = AnyNote(1, .object(pet))
            note.list.append(objectsIn: [.int(1), .object(pet), .fromArray([.object(pet)])])
            note.map["pet"] = .object(pet)
            note.set.insert(objectsIn: [.object(pet), .none, .int(3)])
            note.label = .object(pet)
            try tx.add(note)
            expectEqual(tx.objects(AnyPet.self).count, 1)
        }
        try await realm.write { tx in
            let pet = try requireValue(tx.object(AnyPet.self, forPrimaryKey: "Rex"))
            tx.delete(pet)
            let note = try requireValue(tx.object(AnyNote.self, forPrimaryKey: 1))
            expectTrue(
                note.content == .none && note.label == .none
                    && note.map["pet"] == AnyRealmValue.none)
            expectTrue(note.list[0] == .int(1) && note.list[1] == .none)
            expectEqual(note.list[2].listValue?[0], AnyRealmValue.none)
            expectTrue(Array(note.set) == [.none, .int(3)] && note.set.contains(.none))
        }
        let note = try requireValue(realm.snapshot().object(AnyNote.self, forPrimaryKey: 1))
        expectTrue(note.content == .none && note.list[2] == .list([.none]))
    }

    @Test func circlesAreAdded() async throws {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            let (a, b) = (AnyPet("a"), AnyPet("b"))
            a.keeper = .fromArray([.object(b)])
            b.keeper = .object(a)
            try tx.add(a)
            let other = try requireValue(a.keeper.listValue?[0].object(AnyPet.self))
            expectTrue(other.name == "b" && other.keeper.object(AnyPet.self)?.name == "a")
        }
    }

    @Test func objectsThatCannotBeLinkedToFailTheTransaction() async throws {
        let realm = try await Realm.temporary(anyClasses)
        let error = await realmError {
            try await realm.write { tx in
                let pet = AnyPet("Rex")
                try tx.add(pet)
                let note = AnyNote(1)
                try tx.add(note)
                tx.delete(pet)
                note.content = .object(pet)
            }
        }
        expectTrue(error?.code == .invalidValue && error?.property == "content")
        expectTrue(error?.message.contains("AnyNote.content") ?? false)
        expectTrue(realm.snapshot().objects(AnyNote.self).isEmpty)
        let unlisted = await realmError {
            try await realm.write { tx in try tx.add(AnyNote(1, .object(Room("general")))) }
        }
        expectTrue(unlisted?.code == .invalidInput && unlisted?.message.contains("Room") ?? false)
    }

    // Covers 2.71
    @Test func objectOfAnotherTransactionIsNeverAnElement() async throws {
        /// Carries an object past the compiler's checks. Guard of the `@unchecked Sendable`: none,
        /// deliberately; one task uses it.
        final class Smuggler: @unchecked Sendable {
            var pet: AnyPet?
        }
        let realm = try await Realm.temporary(anyClasses)
        let smuggler = Smuggler()
        try await realm.write { tx in
            let note = AnyNote(1)
            note.set.insert(.object(AnyPet("Max")))
            try tx.add(note)
            note.list.append(objectsIn: note.set)
            smuggler.pet = note.set.first?.object(AnyPet.self)
        }
        try await realm.write { tx in
            let note = try requireValue(tx.object(AnyNote.self, forPrimaryKey: 1))
            let other = AnyRealmValue.object(try requireValue(smuggler.pet))
            expectTrue(!note.set.contains(other))
            note.set.remove(other)
            expectEqual(note.set.count, 1)
            expectNil(note.list.index(of: other))
            let own = try requireValue(note.set.first)
            expectTrue(note.set.contains(own) && note.list.index(of: own) == 0)
        }
    }
}

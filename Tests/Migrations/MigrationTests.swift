import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Migrations: when they run, what they do automatically, and what a block can see and do.
@Suite struct MigrationTests {
    // Covers 5.7, 6.10, 6.14, 6.16, 6.17
    @Test func objectsAreTakenToTheNewClasses() async throws {
        for count in [3, 2_500] {
            let realm = try await MigrationRealm.first(people: count)
            try await realm.migrate(2, MigSecond.types, MigSecond.migration) { tx in
                let people = tx.objects(MigSecond.MigPerson.self)
                expectEqual(people.count, count)
                for (number, person) in people.enumerated() {
                    expectEqual(person.fullName, "First\(number) Last\(number)")
                    expectEqual(person.age, "\(number)")
                    expectTrue(person.alias == (number % 2 == 0 ? "nick \(number)" : nil))
                    expectEqual(Array(person.tags), ["a", "b\(number)"])
                    expectTrue(person.scores["x"] == number && person.codes.contains(number))
                    expectEqual(person.pets.first?.weight, Double(number) / 2)
                    expectEqual(person.home?.street, "Street \(number)")
                }
                expectEqual(tx.objects(MigSecond.MigFound.self).map(\.text), ["kept"])
                #expect(throws: Realm.Error.self) { try tx.dynamicObjects("MigLost") }
                let names = try tx.dynamicObjects("MigPerson").first?.propertyNames
                expectTrue(
                    names?.contains("first") == false && names?.contains("nickname") == false)
            }
            try await expectEqual(realm.version, 2)
        }
    }

    @Test func migratedRealmIsWrittenAndQueriedLikeAnyOther() async throws {
        let realm = try await MigrationRealm.first()
        try await realm.migrate(2, MigSecond.types, MigSecond.migration)
        try await realm.write(2, MigSecond.types) { tx in
            let person = MigSecond.MigPerson()
            person.fullName = "New"
            person.age = "old"
            person.home = MigSecond.MigAddress()
            let pet = MigSecond.MigPet()
            pet.weight = nil
            person.pets.append(pet)
            try tx.add(person)
            try requireValue(tx.objects(MigSecond.MigPet.self).first).weight = nil
            tx.delete(try requireValue(tx.objects(MigSecond.MigPerson.self).first))
        }
        try await realm.read(2, MigSecond.types) { tx in
            let people = tx.objects(MigSecond.MigPerson.self)
            expectEqual(people.where { $0.age == "old" }.count, 1)
            expectEqual(people.where { $0.age == "1" }.count, 1)
            expectEqual(tx.objects(MigSecond.MigPet.self).where { $0.weight == nil }.count, 2)
            let addresses = try tx.dynamicObjects("MigAddress")
            expectEqual(addresses.count, 3)  // one went with its owner
        }
    }

    @Test func errorOfTheBlockLeavesTheRealmAsItWas() async throws {
        let realm = try await MigrationRealm.first()
        await #expect(throws: MigrationFailure.wanted) {
            try await Realm.open(
                realm.configuration(2, MigSecond.types) { migration, version in
                    try MigSecond.migration(migration, version)
                    throw MigrationFailure.wanted
                })
        }
        try await expectEqual(realm.version, 1)
        try await realm.read(1, MigFirst.types) { tx in
            expectEqual(
                tx.objects(MigFirst.MigPerson.self).map(\.first), ["First0", "First1", "First2"])
            expectEqual(tx.objects(MigFirst.MigLost.self).count, 1)
        }
        try await realm.migrate(2, MigSecond.types, MigSecond.migration)
    }

    // Covers 6.15, 6.16
    @Test func wrongUseInTheBlockIsThrownAndUndone() async throws {
        let realm = try await MigrationRealm.first()
        let wrong: [(String, @Sendable (Migration, DynamicObject, DynamicObject) throws -> Void)] =
            [
                ("no property \"none\"", { _, old, _ in _ = old["none"] }),
                ("no property \"nickname\"", { _, _, new in new["nickname"] = "x" }),
                ("old objects", { _, old, _ in old["age"] = 3 }),
                ("cannot hold", { _, _, new in new["fullName"] = 17 }),
                ("cannot hold nil", { _, _, new in new["fullName"] = nil }),
                ("old objects", { migration, old, _ in try migration.delete(old) }),
                ("no class \"Nothing\"", { migration, _, _ in try migration.create("Nothing") }),
                ("is not a list", { _, old, _ in _ = try old.dynamicList("age") }),
            ]
        for (sentence, body) in wrong {
            let error = await realmError {
                try await Realm.open(
                    realm.configuration(2, MigSecond.types) { migration, _ in
                        try migration.renameProperty(
                            onType: "MigPerson", from: "nickname", to: "alias")
                        try migration.enumerateObjects(ofType: "MigPerson") { old, new in
                            if let old, let new { try body(migration, old, new) }
                        }
                    })
            }
            expectEqual(error?.message.contains(sentence), true, "\(sentence): \(error as Any)")
            try await expectEqual(realm.version, 1)
        }
    }

    @Test func differencesAreListedTogether() async throws {
        let realm = try await MigrationRealm.first()
        let error = await realmError {
            try await Realm.open(realm.configuration(1, MigSecond.types))
        }
        expectEqual(error?.code, .schemaMismatch)
        for part in [
            "MigPerson.age is declared as String, but stored as Int",
            "MigPet.weight is declared as Double?, but stored as Double",
            "MigAddress is declared as an embedded class",
        ] {
            expectEqual(error?.message.contains(part), true, "\(part)")
        }
    }

    // Covers 6.11
    @Test func changesThatLoseNothingNeedNoBlock() async throws {
        enum Optional {
            final class MigPet: Object {
                @Persisted var name: String?
                @Persisted var weight: Double?
                @Persisted var isNew: Bool
            }
        }
        let realm = try await MigrationRealm.first()
        try await realm.read(2, [Optional.MigPet.self]) { tx in
            let pets = tx.objects(Optional.MigPet.self)
            expectEqual(pets.map(\.name), ["pet 0", "pet 1", "pet 2"])
            expectEqual(pets.map(\.weight), [0, 0.5, 1])
            expectTrue(pets.where { $0.name == nil }.isEmpty && !pets.contains(where: \.isNew))
        }
        let error = await realmError {
            try await Realm.open(realm.configuration(3, [MigFirst.MigPet.self]))
        }
        expectEqual(error?.code, .schemaMismatch)
        expectEqual(error?.message.contains("Configuration.migration"), true)
        try await expectEqual(realm.version, 2)
    }

    @Test func requiredAgainIsZeroUntilItIsCopied() async throws {
        enum Optional {
            final class MigPet: Object {
                @Persisted var name: String
                @Persisted var weight: Double?
            }
        }
        let realm = try await MigrationRealm.first()
        try await realm.migrate(2, [Optional.MigPet.self])
        let block: MigrationBlock = { migration, _ in
            try migration.enumerateObjects(ofType: "MigPet") { old, new in
                expectEqual(new?["weight"] as? Double, 0)
                if old?["name"] as? String != "pet 1" { new?["weight"] = old?["weight"] }
            }
        }
        try await realm.migrate(3, [MigFirst.MigPet.self], block) { tx in
            expectEqual(tx.objects(MigFirst.MigPet.self).map(\.weight), [0, 0, 1])
        }
    }

    // Covers 6.14
    @Test func classOfOneSideIsVisitedWithOneObject() async throws {
        let realm = try await MigrationRealm.first()
        let block: MigrationBlock = { migration, _ in
            var visits: [String] = []
            try migration.create("MigFound", value: ["text": "made"])
            for name in ["MigLost", "MigFound", "Nothing"] {
                try migration.enumerateObjects(ofType: name) { old, new in
                    visits.append("\(name) \(old == nil) \(new == nil)")
                }
            }
            expectEqual(visits, ["MigLost false true", "MigFound true false"])
        }
        try await realm.migrate(2, MigSecond.types, block) { tx in
            // What the migration doesn't mention stays.
            let lost = try tx.dynamicObjects("MigLost")
            expectEqual(lost.map { $0["text"] as? String }, ["kept"])
        }
    }

    // Covers 6.14, 6.17, 6.18, 6.19
    @Test func deletedAndMadeObjectsAreNotVisited() async throws {
        let realm = try await MigrationRealm.first(people: 5)
        let block: MigrationBlock = { migration, _ in
            var visited: [Int] = []
            try migration.enumerateObjects(ofType: "MigPerson") { old, new in
                let age = old?["age"] as? Int ?? -1
                if age % 2 == 0, let new { try migration.delete(new) }
                try migration.create("MigPerson", value: ["fullName": "made"])
            }
            try migration.enumerateObjects(ofType: "MigPerson") { old, _ in
                visited.append(old?["age"] as? Int ?? -1)
            }
            expectEqual(visited, [1, 3])
            expectTrue(migration.deleteData(forType: "MigPet"))
            expectTrue(!migration.deleteData(forType: "Nothing"))
            try migration.enumerateObjects(ofType: "MigPet") { _, _ in
                Issue.record("A deleted object was visited.")
            }
        }
        try await realm.migrate(2, MigSecond.types, block) { tx in
            expectEqual(tx.objects(MigSecond.MigPerson.self).count, 7)
            expectTrue(tx.objects(MigSecond.MigPet.self).isEmpty)
            expectTrue(tx.objects(MigSecond.MigPerson.self).allSatisfy { $0.pets.isEmpty })
        }
    }

    // Covers 6.10, 6.26
    @Test func collectionsAreReadAndAssigned() async throws {
        enum Later {
            final class MigPerson: Object {
                @Persisted var tags: MutableSet<String>
                @Persisted var scores: List<Int>
                @Persisted var codes: Map<String, Int?>
                @Persisted var pets: Map<String, MigFirst.MigPet?>
            }
        }
        let realm = try await MigrationRealm.first()
        let block: MigrationBlock = { migration, _ in
            try migration.enumerateObjects(ofType: "MigPerson") { old, new in
                guard let old, let new else { return }
                new["tags"] = try old.dynamicList("tags")
                new["scores"] = try old.dynamicMap("scores").map(\.value)
                let codes = try old.dynamicMutableSet("codes").map { $0 as? Int }
                new["codes"] = Dictionary(
                    uniqueKeysWithValues: codes.map { ("k\($0 ?? 0)", $0) })
                try new.dynamicMap("pets").set(old.dynamicList("pets")[0], forKey: "first")
            }
        }
        try await realm.migrate(2, [Later.MigPerson.self, MigFirst.MigPet.self], block) { tx in
            for (number, person) in tx.objects(Later.MigPerson.self).enumerated() {
                expectEqual(Array(person.tags), ["a", "b\(number)"])
                expectEqual(Array(person.scores), [number])
                expectEqual(person.codes["k\(number)"], .some(number))
                expectEqual(person.pets["first"]??.name, "pet \(number)")
            }
            let pets = try tx.dynamicObjects("MigPet")
            expectEqual(pets.count, 3)
        }
    }

    // Covers 6.27
    @Test func mappedValuesAreConvertedAndReadAsTheyAreStored() async throws {
        enum Later {
            final class MigPet: Object {
                @Persisted var name: MigName
                @Persisted var weight: String
            }
        }
        let realm = try await MigrationRealm.first()
        let block: MigrationBlock = { migration, _ in
            try migration.enumerateObjects(ofType: "MigPet") { old, new in
                expectEqual(old?["name"] as? String, new?["name"] as? String)
                if old?["name"] as? String != "pet 1" { new?["name"] = MigName(text: "mapped") }
                new?["weight"] = "\(old?["weight"] as? Double ?? -1)"
            }
        }
        try await realm.migrate(2, [Later.MigPet.self], block) { tx in
            let pets = tx.objects(Later.MigPet.self)
            expectEqual(pets.map(\.name.text), ["mapped", "pet 1", "mapped"])
            expectEqual(pets.map(\.weight), ["0.0", "0.5", "1.0"])
        }
    }

    // Covers 6.19
    @Test func droppedClassTakesWhatLeadsToIt() async throws {
        enum Later {
            final class MigPerson: Object { @Persisted var age: Int }
        }
        let realm = try await MigrationRealm.first()
        let block: MigrationBlock = { migration, _ in
            for name in ["MigPet", "MigAddress", "MigLost"] { migration.deleteData(forType: name) }
        }
        try await realm.migrate(2, [Later.MigPerson.self], block) { tx in
            let people = try tx.dynamicObjects("MigPerson")
            expectEqual(people.count, 3)
            expectEqual(
                people.first?.propertyNames,
                ["age", "codes", "first", "last", "nickname", "scores", "tags"])
            #expect(throws: Realm.Error.self) { try tx.dynamicObjects("MigPet") }
        }
        // The classes can be added again.
        try await realm.write(2, MigFirst.types) { tx in
            let person = try requireValue(tx.objects(MigFirst.MigPerson.self).first)
            expectTrue(person.pets.isEmpty && person.home == nil && person.first == "First0")
            person.pets.append(MigFirst.MigPet())
        }
        try await realm.read(2, MigFirst.types) { tx in
            expectEqual(tx.objects(MigFirst.MigPet.self).count, 1)
        }
    }
}

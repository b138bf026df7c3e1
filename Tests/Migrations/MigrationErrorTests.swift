import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Each error that fails a migration names the class, the property and the problem; the realm is
/// unchanged, and the next migration works.
@Suite struct MigrationErrorTests {
    /// Returns a block that does what `MigSecond` needs, then calls `body` for each person.
    private func block(
        _ body: @escaping @Sendable (Migration, DynamicObject, DynamicObject) throws -> Void
    ) -> MigrationBlock {
        { migration, version in
            try MigSecond.migration(migration, version)
            try migration.enumerateObjects(ofType: "MigPerson") { old, new in
                if let old, let new { try body(migration, old, new) }
            }
        }
    }

    private struct Wrong: Sendable {
        let code: Realm.Error.Code
        let property: String
        let sentence: String
        let block: MigrationBlock
        var className = "MigPerson"
    }

    private var wrongs: [Wrong] {
        let typed = "MigPerson.fullName is of type String and cannot hold"
        return [
            Wrong(
                code: .invalidValue, property: "fullName", sentence: "\(typed) 17 (Int).",
                block: block { _, _, new in new["fullName"] = 17 }),
            Wrong(
                code: .invalidValue, property: "fullName", sentence: "\(typed) nil.",
                block: block { _, _, new in new["fullName"] = nil }),
            Wrong(
                code: .invalidValue, property: "fullName", sentence: "\(typed) 1.5 (Double).",
                block: block { _, _, new in try new.set(1.5, of: "fullName") }),
            Wrong(
                code: .invalidValue, property: "tags",
                sentence: "MigPerson.tags is of type List<String> and cannot hold true (Bool).",
                block: block { _, _, new in new["tags"] = ["a", true] as [Any] }),
            Wrong(
                code: .invalidValue, property: "scores",
                sentence: "MigPerson.scores is of type Map<String, Int> and cannot hold 3 (Int).",
                block: block { _, _, new in new["scores"] = 3 }),
            Wrong(
                code: .invalidValue, property: "pets",
                sentence: "MigPerson.pets is of type List<MigPet> and cannot hold a MigPerson.",
                block: block { _, _, new in new["pets"] = [new] }),
            Wrong(
                code: .invalidValue, property: "text",
                sentence: "MigFound.text is of type String and cannot hold 4 (Int).",
                block: block { migration, _, _ in
                    try migration.create("MigFound", value: ["text": 4])
                }, className: "MigFound"),
            Wrong(
                code: .invalidInput, property: "none",
                sentence: "MigPerson has no property \"none\": it has age, alias",
                block: block { _, _, new in new["none"] = 1 }),
            Wrong(
                code: .invalidInput, property: "fullNam",
                sentence: "A property was renamed to MigPerson.fullNam, but the program",
                block: { migration, _ in
                    try migration.renameProperty(
                        onType: "MigPerson", from: "nickname", to: "fullNam")
                }),
            Wrong(
                code: .invalidInput, property: "age",
                sentence: "MigPerson.age cannot be deleted: the program still declares it.",
                block: { migration, _ in
                    try migration.deleteProperty(onType: "MigPerson", "age")
                }),
            Wrong(
                code: .invalidInput, property: "none",
                sentence: "MigPerson.none is not stored and cannot be deleted.",
                block: { migration, _ in
                    try migration.deleteProperty(onType: "MigPerson", "none")
                }),
            Wrong(
                code: .invalidInput, property: "nickname",
                sentence: "it is stored as String?, and fullName is of type String.",
                block: { migration, _ in
                    try migration.renameProperty(
                        onType: "MigPerson", from: "nickname", to: "fullName")
                }),
        ]
    }

    @Test func errorsNameClassPropertyAndValue() async throws {
        let realm = try await MigrationRealm.first()
        for wrong in wrongs {
            let error = await realmError {
                try await Realm.open(realm.configuration(2, MigSecond.types, wrong.block))
            }
            expectEqual(error?.code, wrong.code, "\(wrong.sentence): \(error as Any)")
            expectEqual(error?.message.contains(wrong.sentence), true, "\(error as Any)")
            expectEqual(error?.className, wrong.className, "\(error as Any)")
            expectEqual(error?.property, wrong.property, "\(error as Any)")
            try await realm.read(1, MigFirst.types) { tx in
                let people = tx.objects(MigFirst.MigPerson.self)
                expectEqual(people.map(\.first), ["First0", "First1", "First2"])
                expectEqual(people.map { $0.home?.street ?? "" }.last, "Street 2")
            }
        }
        try await realm.migrate(2, MigSecond.types, MigSecond.migration) { tx in
            expectEqual(tx.objects(MigSecond.MigPerson.self).first?.fullName, "First0 Last0")
        }
    }

    private enum Short {
        final class MigNames: Object {
            @Persisted var text: String
            @Persisted var any: AnyRealmValue
            @Persisted var anys: List<AnyRealmValue>
        }
    }
    private enum Renamed {
        final class MigNames: Object {
            @Persisted var title: String
            @Persisted var content: AnyRealmValue
            @Persisted var contents: List<AnyRealmValue>
        }
    }

    private static func long(_ name: String, _ byteCount: Int) -> String {
        name + String(repeating: "x", count: byteCount - name.utf8.count)
    }

    // Covers .invalidInput
    @Test func renamesToTheLongestNames() async throws {
        let realm = try MigrationRealm()
        try await realm.write(1, [Short.MigNames.self]) { tx in
            let box = Short.MigNames()
            box.text = "text"
            box.any = .fromArray([.int(1)])
            box.anys.append(.fromArray([.int(2)]))
            try tx.add(box)
        }
        let names = [("text", 63, "title"), ("any", 61, "content"), ("anys", 63, "contents")]
        for (old, limit, _) in names {
            let long = Self.long(old, limit + 1)
            let block: MigrationBlock = { migration, _ in
                try migration.renameProperty(onType: "MigNames", from: old, to: long)
            }
            let error = await realmError {
                try await Realm.open(realm.configuration(2, [Renamed.MigNames.self], block))
            }
            expectTrue(error?.code == .invalidInput && error?.property == old)
            let sentence = "has \(limit + 1) bytes; it can have at most \(limit)."
            expectEqual(error?.message.contains(sentence), true, "\(error as Any)")
        }
        let block: MigrationBlock = { migration, _ in
            for (old, limit, new) in names {
                let path = [old, Self.long(old, limit - 1), Self.long(old, limit), new]
                for (from, to) in zip(path, path.dropFirst()) {
                    try migration.renameProperty(onType: "MigNames", from: from, to: to)
                }
            }
        }
        try await realm.migrate(2, [Renamed.MigNames.self], block) { tx in
            let box = try requireValue(tx.objects(Renamed.MigNames.self).first)
            expectEqual(box.title, "text")
            expectEqual(box.content.listValue?.first, .int(1))
            expectEqual(box.contents.first?.listValue?.first, .int(2))
        }
    }

    private enum Accents {
        final class MigAccent: Object {
            @Persisted var one: String
            @Persisted var two: String

            override class func propertiesMapping() -> [String: String] {
                ["one": "caf\u{E9}", "two": "cafe\u{301}"]
            }
        }
    }
    private enum Composed {
        final class MigAccent: Object {
            @Persisted var text: String

            override class func propertiesMapping() -> [String: String] {
                ["text": "caf\u{E9}"]
            }
        }
    }
    private enum Decomposed {
        final class MigAccent: Object {
            @Persisted var text: String

            override class func propertiesMapping() -> [String: String] {
                ["text": "cafe\u{301}"]
            }
        }
    }
    private enum Plain {
        final class MigAccent: Object {
            @Persisted var text: String
        }
    }

    @Test func renamesBetweenNamesThatSwiftTakesForEqual() async throws {
        let realm = try MigrationRealm()
        try await realm.write(1, [Composed.MigAccent.self]) { tx in
            _ = try tx.create(Composed.MigAccent.self, value: ["text": "kept"])
        }
        let block: MigrationBlock = { migration, _ in
            try migration.renameProperty(
                onType: "MigAccent", from: "caf\u{E9}", to: "cafe\u{301}")
        }
        try await realm.migrate(2, [Decomposed.MigAccent.self], block) { tx in
            expectEqual(tx.objects(Decomposed.MigAccent.self).map(\.text), ["kept"])
        }
    }

    // Covers .invalidInput
    @Test func stepsOfRenamingAreToldApartByTheirBytes() async throws {
        let realm = try MigrationRealm()
        try await realm.write(1, [Accents.MigAccent.self]) { tx in
            _ = try tx.create(Accents.MigAccent.self, value: ["one": "1", "two": "2"])
        }
        let block: MigrationBlock = { migration, _ in
            for (from, to) in [
                ("caf\u{E9}", "n\u{E9}"), ("cafe\u{301}", "ne\u{301}"), ("ne\u{301}", "text"),
            ] {
                try migration.renameProperty(onType: "MigAccent", from: from, to: to)
            }
        }
        let error = await realmError {
            try await Realm.open(realm.configuration(2, [Plain.MigAccent.self], block))
        }
        expectEqual(error?.code, .invalidInput)
        expectEqual(error?.property.map { Array($0.utf8) }, Array("n\u{E9}".utf8))
    }

    /// An object that leaves the block of its migration.
    ///
    /// Guard of the `@unchecked Sendable`: the test runs one migration after the other.
    private final class Leak: @unchecked Sendable {
        var object: DynamicObject?
    }

    @Test func deletedObjectIsOneOfTheMigration() async throws {
        let leak = Leak()
        let first = try await MigrationRealm.first()
        try await first.migrate(
            2, MigSecond.types, block { _, _, new in leak.object = new })
        let second = try await MigrationRealm.first()
        let error = await realmError {
            try await Realm.open(
                second.configuration(
                    2, MigSecond.types,
                    block { migration, _, _ in
                        if let object = leak.object { try migration.delete(object) }
                    }))
        }
        expectEqual(error?.code, .invalidInput)
        expectEqual(
            error?.message.contains("passed to Migration.delete belongs to another transaction"),
            true)
        try await expectEqual(second.version, 1)
    }

    @Test func firstErrorCountsAlsoWhereTheBlockGoesOn() async throws {
        let realm = try await MigrationRealm.first()
        let error = await realmError {
            try await Realm.open(
                realm.configuration(
                    2, MigSecond.types,
                    { migration, _ in
                        let made = try migration.create("MigFound")
                        made["text"] = 1
                        made["nothing"] = 2
                        throw MigrationFailure.wanted
                    }))
        }
        expectTrue(error?.className == "MigFound" && error?.property == "text")
        try await expectEqual(realm.version, 1)
    }
}

import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Primary keys, indexes, renaming and dropping of properties in migrations.
@Suite struct MigrationKeyTests {
    private enum Plain {
        final class MigItem: Object {
            @Persisted var code: Int
            @Persisted(indexed: true) var name: String
            @Persisted var parts: List<Int>
            @Persisted var inner: MigInner?
        }
        final class MigInner: EmbeddedObject { @Persisted var text: String }
        static let types: [ObjectBase.Type] = [MigItem.self, MigInner.self]
    }
    private enum Keyed {
        final class MigItem: Object {
            @Persisted(primaryKey: true) var code: Int
            @Persisted var name: String
        }
    }
    private enum Named {
        final class MigItem: Object {
            @Persisted var code: Int
            @Persisted(primaryKey: true) var name: String?
        }
    }
    private enum Fresh {
        final class MigItem: Object {
            @Persisted(primaryKey: true) var id: UUID
            @Persisted var code: Int
        }
    }
    private enum Renamed {
        final class MigItem: Object {
            @Persisted(primaryKey: true) var number: Int?
            @Persisted var title: String
            @Persisted var pieces: List<Int>
            @Persisted var content: MigInner?
        }
        final class MigInner: EmbeddedObject { @Persisted var text: String }
        static let types: [ObjectBase.Type] = [MigItem.self, MigInner.self]
    }

    private func plainRealm(codes: [Int] = [1, 2, 3]) async throws -> MigrationRealm {
        let realm = try MigrationRealm()
        try await realm.write(1, Plain.types) { tx in
            for code in codes {
                let item = Plain.MigItem()
                item.code = code
                item.name = "name \(code)"
                item.parts.append(objectsIn: [code, code + 1])
                item.inner = Plain.MigInner()
                item.inner?.text = "inner \(code)"
                try tx.add(item)
            }
        }
        return realm
    }

    // Covers 6.13
    @Test func keyIsAddedMovedAndRemoved() async throws {
        let realm = try await plainRealm()
        try await realm.read(2, [Keyed.MigItem.self]) { tx in
            expectEqual(tx.object(Keyed.MigItem.self, forPrimaryKey: 2)?.name, "name 2")
            expectNil(tx.object(Keyed.MigItem.self, forPrimaryKey: 4))
        }
        let error = await realmError {
            try await realm.write(2, [Keyed.MigItem.self]) {
                try $0.create(Keyed.MigItem.self, value: ["code": 3])
            }
        }
        expectEqual(error?.code, .duplicatePrimaryKey)
        try await realm.read(3, [Named.MigItem.self]) { tx in
            expectEqual(tx.object(Named.MigItem.self, forPrimaryKey: "name 2")?.code, 2)
            expectEqual(tx.objects(Named.MigItem.self).where { $0.code == 3 }.count, 1)
        }
        let block: MigrationBlock = { _, _ in }
        try await realm.migrate(4, Plain.types, block) { tx in
            expectEqual(tx.objects(Plain.MigItem.self).count, 3)
        }
        try await realm.write(4, Plain.types) { tx in
            for item in tx.objects(Plain.MigItem.self) { item.code = 7 }
        }
    }

    // Covers 6.13
    @Test func keysAreComparedWhenTheBlockIsOver() async throws {
        let realm = try await plainRealm(codes: [5, 5, 5])
        let error = await realmError {
            try await Realm.open(realm.configuration(2, [Keyed.MigItem.self]) { _, _ in })
        }
        expectEqual(error?.code, .duplicatePrimaryKey)
        expectTrue(error?.className == "MigItem" && error?.property == "code" && error?.key == "5")
        try await expectEqual(realm.version, 1)
        let block: MigrationBlock = { migration, _ in
            var number = 7
            try migration.enumerateObjects(ofType: "MigItem") { _, new in
                new?["code"] = 6  // temporarily all equal
            }
            try migration.enumerateObjects(ofType: "MigItem") { _, new in
                new?["code"] = number
                number -= 1
            }
        }
        try await realm.migrate(2, [Keyed.MigItem.self], block) { tx in
            expectEqual(tx.objects(Keyed.MigItem.self).map(\.code), [7, 6, 5])
            expectEqual(tx.object(Keyed.MigItem.self, forPrimaryKey: 6)?.name, "name 5")
        }
    }

    // Covers 6.13
    @Test func newKeyIsFilledByTheBlock() async throws {
        let realm = try await plainRealm(codes: Array(0..<1_200))
        let without = await realmError {
            try await Realm.open(realm.configuration(2, [Fresh.MigItem.self]) { _, _ in })
        }
        expectTrue(without?.code == .duplicatePrimaryKey && without?.property == "id")
        let block: MigrationBlock = { migration, _ in
            try migration.enumerateObjects(ofType: "MigItem") { old, new in
                new?["id"] = UUID(uuidString: Self.text(old?["code"] as? Int ?? -1))
            }
        }
        try await realm.migrate(2, [Fresh.MigItem.self], block) { tx in
            let id = try requireValue(UUID(uuidString: Self.text(700)))
            expectEqual(tx.object(Fresh.MigItem.self, forPrimaryKey: id)?.code, 700)
        }
    }

    private static func text(_ number: Int) -> String {
        "00000000-0000-0000-0000-" + String(format: "%012d", number)
    }

    // Covers 6.13
    @Test func duplicatesAmongEqualHashesAndNilAreFound() async throws {
        let realm = try MigrationRealm()
        enum Loose {
            final class MigItem: Object {
                @Persisted var code: Int
                @Persisted var name: String?
            }
        }
        try await realm.write(1, [Loose.MigItem.self]) { tx in
            for name in ["a", nil, "b", nil] {
                try tx.create(Loose.MigItem.self, value: ["name": name])
            }
        }
        let error = await realmError {
            try await Realm.open(realm.configuration(2, [Named.MigItem.self]))
        }
        expectTrue(error?.code == .duplicatePrimaryKey && error?.key == "nil")
    }

    // Covers 6.15, 6.20
    @Test func propertiesAreRenamedWithAllThatTheyHold() async throws {
        for comesLate in [false, true] {
            let realm = try await plainRealm()
            let block: MigrationBlock = { migration, _ in
                if comesLate {
                    try migration.enumerateObjects(ofType: "MigItem") { _, new in
                        new?["title"] = "is overwritten"
                    }
                }
                for (old, new) in [
                    ("code", "step"), ("step", "number"), ("name", "title"), ("parts", "pieces"),
                    ("inner", "content"),
                ] {
                    try migration.renameProperty(onType: "MigItem", from: old, to: new)
                }
                try migration.enumerateObjects(ofType: "MigItem") { old, new in
                    expectEqual(old?["code"] as? Int, new?["number"] as? Int)
                    expectEqual(old?["name"] as? String, new?["title"] as? String)
                    let inner = new?["content"] as? DynamicObject
                    expectEqual(inner?["text"] as? String, "inner \(new?["number"] as? Int ?? 0)")
                    if old?["code"] as? Int == 3 { new?["number"] = nil }
                }
            }
            try await realm.migrate(2, Renamed.types, block) { tx in
                let item = try requireValue(tx.object(Renamed.MigItem.self, forPrimaryKey: 2))
                expectTrue(item.title == "name 2" && Array(item.pieces) == [2, 3])
                expectEqual(item.content?.text, "inner 2")
                let none = tx.object(Renamed.MigItem.self, forPrimaryKey: nil as Int?)
                expectEqual(none?.title, "name 3")
                expectEqual(
                    tx.objects(Renamed.MigItem.self).where { $0.pieces.contains(4) }.count, 1)
                let names = try tx.dynamicObjects("MigItem").first?.propertyNames
                expectEqual(names, ["content", "number", "pieces", "title"])
            }
            try await realm.write(2, Renamed.types) { tx in
                tx.delete(tx.objects(Renamed.MigItem.self))
            }
            try await realm.read(2, Renamed.types) { tx in
                let inner = try tx.dynamicObjects("MigInner")
                expectTrue(inner.isEmpty)
            }
        }
    }

    // Covers 6.20
    @Test func wrongRenamingsAreRefused() async throws {
        let realm = try await plainRealm()
        let wrong: [(String, String, String, String)] = [
            ("Nothing", "code", "number", "no class"),
            ("MigItem", "nothing", "number", "no property nothing"),
            ("MigItem", "name", "number", "is stored as String"),
            ("MigItem", "number", "title", "the program still declares a property number"),
            ("MigItem", "code", "code", "the same"),
            ("MigItem", "code", "elsewhere", "the program declares no such property"),
        ]
        for (className, old, new, sentence) in wrong {
            let error = await realmError {
                try await Realm.open(
                    realm.configuration(2, Renamed.types) { migration, _ in
                        try migration.renameProperty(onType: className, from: old, to: new)
                    })
            }
            expectEqual(error?.code, .invalidInput)
            expectEqual(error?.message.contains(sentence), true, "\(sentence): \(error as Any)")
        }
        let declared = await realmError {
            try await Realm.open(
                realm.configuration(2, Renamed.types) { migration, _ in
                    try migration.deleteProperty(onType: "MigItem", "title")
                })
        }
        expectEqual(declared?.message.contains("the program still declares it"), true)
        try await expectEqual(realm.version, 1)
    }

    // Covers 6.16
    @Test func droppedPropertiesAreGoneAndCanComeAgain() async throws {
        let realm = try await plainRealm()
        let block: MigrationBlock = { migration, _ in
            for name in ["name", "parts", "inner"] {
                try migration.deleteProperty(onType: "MigItem", name)
            }
            try migration.enumerateObjects(ofType: "MigItem") { old, new in
                expectEqual(old?["name"] as? String, "name \(old?["code"] as? Int ?? 0)")
                expectEqual(new?.propertyNames, ["code"])
            }
        }
        enum Short {
            final class MigItem: Object { @Persisted var code: Int }
        }
        try await realm.migrate(2, [Short.MigItem.self], block) { tx in
            let inner = try tx.dynamicObjects("MigInner")
            expectTrue(inner.isEmpty)
        }
        try await realm.write(2, [Short.MigItem.self]) { tx in
            try tx.create(Short.MigItem.self, value: ["code": 4])
        }
        try await realm.read(2, Plain.types) { tx in
            expectEqual(tx.objects(Plain.MigItem.self).map(\.code), [1, 2, 3, 4])
            for item in tx.objects(Plain.MigItem.self) {
                expectTrue(item.name.isEmpty && item.parts.isEmpty && item.inner == nil)
            }
        }
        try await realm.write(2, Plain.types) { tx in
            for item in tx.objects(Plain.MigItem.self) { item.name = "new" }
        }
        try await realm.read(2, Plain.types) { tx in
            expectEqual(tx.objects(Plain.MigItem.self).where { $0.name == "new" }.count, 4)
        }
    }

    // Covers 6.16, 6.20, 6.25
    @Test func propertyThatAStepRenamesIsDroppedByALaterOne() async throws {
        enum Short {
            final class MigItem: Object { @Persisted var code: Int }
        }
        let block: MigrationBlock = { migration, oldVersion in
            if oldVersion < 2 {
                try migration.renameProperty(onType: "MigItem", from: "name", to: "title")
            }
            if oldVersion < 3 { try migration.deleteProperty(onType: "MigItem", "title") }
        }
        let realm = try await plainRealm()
        try await realm.migrate(3, [Short.MigItem.self], block) { tx in
            let objects = try tx.dynamicObjects("MigItem")
            expectEqual(objects.count, 3)
            let names = try requireValue(objects.first).propertyNames
            expectTrue(!names.contains("name") && !names.contains("title"), "\(names)")
        }
    }

    // Covers 6.25
    @Test func stepsOfSeveralVersionsFollowEachOther() async throws {
        let block: MigrationBlock = { migration, oldVersion in
            if oldVersion < 2 {
                try migration.renameProperty(onType: "MigItem", from: "name", to: "title")
            }
            if oldVersion < 3 {
                try migration.renameProperty(onType: "MigItem", from: "code", to: "number")
            }
            if oldVersion < 4 {
                try migration.renameProperty(onType: "MigItem", from: "parts", to: "pieces")
                try migration.renameProperty(onType: "MigItem", from: "inner", to: "content")
            }
        }
        let realm = try await plainRealm()
        try await realm.migrate(4, Renamed.types, block) { tx in
            expectEqual(
                tx.objects(Renamed.MigItem.self).map(\.title), ["name 1", "name 2", "name 3"])
        }
    }
}

import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Values that migrations read, set and refuse, by class and property name.
@Suite struct MigrationValueTests {
    private enum Old {
        final class ValPerson: Object {
            @Persisted var first: String
            @Persisted var oldName: String
            @Persisted var any: AnyRealmValue
            @Persisted var anys: List<AnyRealmValue>
            @Persisted var part: ValPart?
            @Persisted var former: ValPart?
            @Persisted var formers: List<ValPart>
            @Persisted var formerByName: Map<String, ValPart?>
        }
        final class ValPart: Object { @Persisted var text: String }
        final class ValLone: Object { @Persisted var text: String }
        static let types: [ObjectBase.Type] = [ValPerson.self, ValPart.self, ValLone.self]
    }
    private enum New {
        final class ValPerson: Object {
            @Persisted var fullName: String
            @Persisted var any: AnyRealmValue
            @Persisted var anys: List<AnyRealmValue>
            @Persisted var part: ValPart?
            @Persisted var lone: ValLone?
            override class func propertiesMapping() -> [String: String] { ["fullName": "oldName"] }
        }
        final class ValPart: Object { @Persisted var text: String }
        final class ValLone: Object {
            @Persisted var text: String
            @Persisted var next: ValLone?
        }
        static let types: [ObjectBase.Type] = [ValPerson.self, ValPart.self, ValLone.self]
    }
    private enum Owned {
        final class ValPerson: Object {
            @Persisted var first: String
            @Persisted var any: AnyRealmValue
            @Persisted var anys: List<AnyRealmValue>
            @Persisted var part: ValPart?
        }
        final class ValPart: EmbeddedObject { @Persisted var text: String }
        final class ValLone: Object { @Persisted var text: String }
        static let types: [ObjectBase.Type] = [ValPerson.self, ValPart.self, ValLone.self]
    }

    private func oldRealm(
        _ body: @Sendable (Transaction, Old.ValPerson) throws -> Void = { _, _ in }
    ) async throws -> MigrationRealm {
        let realm = try MigrationRealm()
        try await realm.write(1, Old.types) { tx in
            let person = try tx.create(
                Old.ValPerson.self, value: ["first": "A", "oldName": "B", "part": ["text": "p"]])
            try body(tx, person)
        }
        return realm
    }

    // Covers 6.16, 6.22
    @Test func newObjectsGoByDeclaredNames() async throws {
        let realm = try await oldRealm()
        try await realm.migrate(
            2, New.types,
            { migration, _ in
                try migration.enumerateObjects(ofType: "ValPerson") { old, new in
                    let (old, new) = (try requireValue(old), try requireValue(new))
                    expectTrue(old["first"] as? String == "A" && old["oldName"] as? String == "B")
                    expectEqual(new["fullName"] as? String, "B")
                    expectEqual(new.propertyNames, ["any", "anys", "fullName", "lone", "part"])
                    #expect(throws: Realm.Error.self) { try new.value(of: "first") }
                    #expect(throws: Realm.Error.self) { try new.value(of: "oldName") }
                    #expect(throws: Realm.Error.self) { try new.set("x", of: "first") }
                    new["fullName"] = "\(old["first"] ?? "") \(old["oldName"] ?? "")"
                }
                let made = try migration.create("ValPerson", value: ["fullName": "made"])
                expectEqual(made["fullName"] as? String, "made")
            },
            { tx in
                expectEqual(tx.objects(New.ValPerson.self).map(\.fullName), ["A B", "made"])
            })
    }

    @Test func oldObjectsKeepTheContentsOfReplacedValues() async throws {
        let realm = try await oldRealm { _, person in
            person.any = .fromArray([.fromArray([.int(1)])])
            person.anys.append(.fromArray([.int(2)]))
        }
        try await realm.migrate(
            2, New.types,
            { migration, _ in
                try migration.enumerateObjects(ofType: "ValPerson") { old, new in
                    let (old, new) = (try requireValue(old), try requireValue(new))
                    let anys = try old.dynamicList("anys")
                    new["any"] = nil
                    new["anys"] = nil
                    let any = try requireValue(old["any"] as? DynamicList)
                    let inner = try requireValue(any[0] as? DynamicList)
                    let element = try requireValue(anys[0] as? DynamicList)
                    expectTrue(inner[0] as? Int == 1 && element[0] as? Int == 2)
                }
            },
            { tx in
                let person = tx.objects(New.ValPerson.self)[0]
                expectTrue(person.any == AnyRealmValue.none && person.anys.isEmpty)
            })
    }

    // Covers 6.16, 6.17
    @Test func objectsOfTheProgramAreCopied() async throws {
        let realm = try await oldRealm()
        try await realm.migrate(
            2, New.types,
            { migration, _ in
                try migration.enumerateObjects(ofType: "ValPerson") { _, new in
                    let circle = New.ValLone(value: ["text": "circle"])
                    circle.next = New.ValLone(value: ["text": "second", "next": circle])
                    defer { circle.next = nil }
                    new?["lone"] = circle
                    new?["any"] = New.ValLone(value: ["text": "any"])
                    new?["anys"] = [New.ValLone(value: ["text": "element"]), 5]
                    expectTrue(!circle.isManaged)
                }
                try migration.create("ValLone", value: New.ValLone(value: ["text": "made"]))
                try migration.create("ValLone", value: ["array"] as [Any])
            },
            { tx in
                let person = tx.objects(New.ValPerson.self)[0]
                expectTrue(person.lone?.text == "circle" && person.lone?.next?.text == "second")
                expectEqual(person.lone?.next?.next?.isSameObject(as: person.lone), true)
                expectEqual(person.any.object(New.ValLone.self)?.text, "any")
                expectEqual(person.anys[0].object(New.ValLone.self)?.text, "element")
                expectEqual(tx.objects(New.ValLone.self).count, 6)
            })
    }

    // Covers 6.20
    @Test func namesThatNoPropertyCanHaveAreRefused() async throws {
        let realm = try await oldRealm { _, person in person.any = .fromArray([.int(1)]) }
        try await realm.migrate(
            2, New.types,
            { migration, _ in
                let (name, long) = ("ValPerson", String(repeating: "x", count: 64))
                for wrong in ["any[]", "first[]", "", "\u{1}first", long] {
                    for (old, new) in [("first", wrong), (wrong, "last")] {
                        #expect(throws: Realm.Error.self) {
                            try migration.renameProperty(onType: name, from: old, to: new)
                        }
                    }
                    #expect(throws: Realm.Error.self) {
                        try migration.deleteProperty(onType: name, wrong)
                    }
                }
            },
            { tx in
                let person = tx.objects(New.ValPerson.self)[0]
                guard case .list(let list) = person.any else {
                    Issue.record("The value is no list.")
                    return
                }
                expectEqual(list.map { $0 }, [.int(1)])
            })
    }

    // Covers 6.20
    @Test func classThatTheProgramLacksCannotBeRenamedIn() async throws {
        let realm = try await oldRealm()
        let error = await realmError {
            try await Realm.open(
                realm.configuration(
                    2, [New.ValLone.self],
                    { migration, _ in
                        try migration.renameProperty(onType: "ValPerson", from: "first", to: "last")
                    }))
        }
        expectEqual(error?.code, .invalidInput)
        expectEqual(error?.message.contains("the program declares no class ValPerson"), true)
        try await expectEqual(realm.version, 1)
    }

    // Covers 6.23
    @Test(arguments: [false, true])
    func valuesOfAnyTypeKeepAClassFromBecomingEmbedded(isNested: Bool) async throws {
        let realm = try await oldRealm { _, person in
            let part = try requireValue(person.part)
            if isNested {
                person.anys.append(.fromArray([.int(1), .object(part)]))
            } else {
                person.any = .object(part)
            }
        }
        let error = await realmError {
            try await Realm.open(realm.configuration(2, Owned.types, { _, _ in }))
        }
        expectTrue(error?.code == .migrationFailed && error?.className == "ValPerson")
        expectTrue(error?.property == (isNested ? "anys" : "any"), "\(error as Any)")
        try await realm.write(1, Old.types) { tx in
            let person = tx.objects(Old.ValPerson.self)[0]
            let part = try requireValue(person.part)
            let linked = isNested ? person.anys[0].listValue?[1] : person.any
            expectTrue(part.text == "p" && linked == .object(part))
        }
        let block: MigrationBlock = { migration, _ in
            try migration.enumerateObjects(ofType: "ValPerson") { _, new in
                new?["any"] = nil
                new?["anys"] = nil
            }
        }
        try await realm.migrate(2, Owned.types, block) { tx in
            expectEqual(tx.objects(Owned.ValPerson.self)[0].part?.text, "p")
        }
    }

    // Covers 6.23
    @Test func propertiesThatAreGoneOwnNothing() async throws {
        let realm = try await oldRealm { tx, person in
            let part = try requireValue(person.part)
            let lonely = try tx.create(Old.ValPart.self, value: ["text": "lonely"])
            person.former = part
            person.formers.append(objectsIn: [part, part, lonely])
            person.formerByName["k"] = lonely
        }
        try await realm.migrate(
            2, Owned.types, { _, _ in },
            { tx in
                expectEqual(tx.objects(Owned.ValPerson.self)[0].part?.text, "p")
                let parts = try tx.dynamicObjects("ValPart")
                expectEqual(parts.count, 1)
            })
        try await realm.write(2, Owned.types) { tx in tx.delete(tx.objects(Owned.ValPerson.self)[0])
        }
    }

    // Covers 6.4
    @Test func classWithoutRowsChangesWithoutABlock() async throws {
        enum Changed {
            final class ValLone: Object { @Persisted var text: Int }
            static let types: [ObjectBase.Type] = [ValLone.self]
        }
        let realm = try await oldRealm()
        try await realm.read(2, Changed.types) { tx in
            expectTrue(tx.objects(Changed.ValLone.self).isEmpty)
        }
        try await realm.write(2, Changed.types) { tx in
            try tx.create(Changed.ValLone.self, value: ["text": 5])
        }
    }
}

// The names of stored properties, as a file has them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

private class MisMapped: Object {
    @Persisted var a: Int
    @Persisted var b: Int
    @Persisted var link: MisMapped?
    @Persisted(originProperty: "link") var inverse: LinkingObjects<MisMapped>

    override class func propertiesMapping() -> [String: String] {
        [
            "a": "b", "nothing": "c", "inverse": "d", "link": "with.dot",
        ]
    }
}

private final class LongMapped: Object {
    @Persisted var a: Int
    @Persisted var b: Int
    @Persisted var number: Int
    @Persisted var numbers: List<Int>

    override class func propertiesMapping() -> [String: String] {
        ["a": String(repeating: "n", count: 64), "b": "", "numbers": "number[]"]
    }
}

private class MappedParent: Object {
    @Persisted var title: String

    override class func propertiesMapping() -> [String: String] { ["title": "a_title"] }
}

private final class MappedChild: MappedParent {
    @Persisted var number: Int
}

/// The program's class and a later one of the same name, without a mapping.
private enum Unmapped {
    final class GenericMapped: Object {
        @Persisted(primaryKey: true) var _id: Int
        @Persisted(indexed: true) var first_name: String
        @Persisted var age: String?
        @Persisted var best_friend: GenericMapped?
        @Persisted var other_friends: List<GenericMapped>
        @Persisted var all_words: List<String>
        @Persisted var all_numbers: MutableSet<Int>
        @Persisted var all_counts: Map<String, Int>
        @Persisted var nickname: Int
    }

    enum Other {
        final class GenericMapped: Object {
            @Persisted(primaryKey: true) var id: Int
            @Persisted var title: Int

            override class func propertiesMapping() -> [String: String] {
                ["id": "_id", "title": "age"]
            }
        }
    }
}

/// Properties stored under a name different from their Swift name.
@Suite struct MappedNameTests {
    private func fill(_ realm: Realm) async throws {
        try await realm.write { tx in
            let ann = GenericMapped(1, "Ann")
            (ann.nickname, ann.age) = ("A", 31)
            ann.words.append(contentsOf: ["x", "y"])
            ann.numbers.insert(objectsIn: [3, 1])
            ann.counts["k"] = 9
            let bob = GenericMapped(2, "Bob")
            bob.best = ann
            bob.others.append(objectsIn: [ann, ann])
            try tx.add([ann, bob])
        }
    }

    // Covers 1.66
    @Test func everythingInTheProgramGoesByTheNameInSwift() async throws {
        let realm = try await Realm.temporary(genericClasses)
        try await fill(realm)
        try await realm.write { tx in
            let ann = try requireValue(tx.object(GenericMapped.self, forPrimaryKey: 1))
            expectTrue(ann.admirers.map(\.id) == [2] && ann.listedBy.map(\.id) == [2, 2])
            expectTrue(ann["firstName"] as? String == "Ann" && ann["nickname"] as? String == "A")
            expectTrue(ann["age"] as? Int == 31 && "\(ann)".contains("firstName = Ann"))
            ann["firstName"] = "Anna"
            let cem = try tx.create(
                GenericMapped.self,
                value: ["id": 3, "firstName": "Cem", "best": ["id": 4, "age": 2] as [String: Any]])
            expectEqual(cem.best?.age, 2)
            _ = try tx.create(
                GenericMapped.self, value: ["id": 3, "firstName": "Jem"], update: .modified)
            expectTrue(cem.firstName == "Jem" && ann.words.distinct() == ["x", "y"])
            expectTrue(ann.counts.sum() == 9 && ann.numbers.max() == 3)
        }
        let all = realm.snapshot().objects(GenericMapped.self)
        expectEqual(all.where { $0.firstName == "Anna" }.map(\.id), [1])
        expectEqual(all.where { $0.nickname == "A" && $0.age == 31 }.map(\.id), [1])
        expectEqual(all.where { $0.best.firstName == "Anna" }.map(\.id), [2])
        expectEqual(all.where { $0.others.firstName == "Anna" }.map(\.id), [2])
        expectEqual(all.where { $0.words == "y" && $0.numbers.contains(3) }.map(\.id), [1])
        expectEqual(all.where { $0.counts["k"] == 9 }.map(\.id), [1])
        expectEqual(all.where { $0.admirers.firstName == "Bob" }.map(\.id), [1])
        expectEqual(all.where { $0.listedBy.count == 2 }.map(\.id), [1])
        expectEqual(all.sorted(by: \.firstName, ascending: false).map(\.id), [3, 2, 1, 4])
        expectEqual(all.sorted(by: \.best?.firstName).last?.id, 2)
        expectTrue(all.sum(of: \.age) == 33 && all.max(of: \.best?.age) == 31)
        let ann = try requireValue(realm.snapshot().object(GenericMapped.self, forPrimaryKey: 1))
        expectTrue(ann.words.array == ["x", "y"] && ann.numbers.array == [1, 3])
        expectTrue(ann.counts["k"] == 9 && ann.admirers.map(\.id) == [2])
        let json = String(decoding: try JSONEncoder().encode(ann), as: UTF8.self)
        expectTrue(json.contains("\"firstName\"") && !json.contains("first_name"))
        expectEqual(realm.object(GenericMapped.self, forPrimaryKey: 1).admirers.current.count, 1)
        expectEqual(realm.object(GenericMapped.self, forPrimaryKey: 2).others.current.count, 2)
    }

    @Test func streamsTellTheNameInSwift() async throws {
        let realm = try await Realm.temporary(genericClasses)
        try await fill(realm)
        var all = try realm.objects(GenericMapped.self).changes(keyPaths: ["best.firstName"])
            .makeAsyncIterator()
        var typed = realm.objects(GenericMapped.self).changes(keyPaths: [\.best?.firstName])
            .makeAsyncIterator()
        var one = realm.object(GenericMapped.self, forPrimaryKey: 1).changes.makeAsyncIterator()
        _ = try await (all.next(), typed.next(), one.next())
        try await realm.write { tx in
            let ann = try requireValue(tx.object(GenericMapped.self, forPrimaryKey: 1))
            ann.firstName = "Anna"
            ann.words.append("z")
        }
        guard case .update(_, let reported)? = try await all.next(),
            case .update(_, let same)? = try await typed.next(),
            case .changed(_, _, let properties)? = try await one.next()
        else {
            Issue.record("no update")
            return
        }
        expectTrue(reported.modifications == [1] && same.modifications == [1])
        expectEqual(properties, ["firstName", "words"])
    }

    // Covers 1.66, 6.22
    @Test func fileHasTheStoredNames() async throws {
        let folder = try RealmFolder()
        let first = try await Realm.open(folder.configuration("a.realm", [GenericMapped.self]))
        try await fill(first)
        await first.close()
        typealias Plain = Unmapped.GenericMapped
        let plain = try await Realm.open(folder.configuration("a.realm", [Plain.self]))
        let ann = try requireValue(plain.snapshot().object(Plain.self, forPrimaryKey: 1))
        expectTrue(ann.first_name == "Ann" && ann.age == "A" && ann.nickname == 31)
        expectTrue(ann.all_words.array == ["x", "y"] && ann.all_numbers.array == [1, 3])
        let bob = try requireValue(plain.snapshot().object(Plain.self, forPrimaryKey: 2))
        expectTrue(bob.best_friend?._id == 1 && bob.other_friends.count == 2)
        try await plain.write { tx in
            try tx.add(Plain(value: ["_id": 5, "first_name": "Eve", "nickname": 8]))
        }
        await plain.close()
        let again = try await Realm.open(folder.configuration("a.realm", [GenericMapped.self]))
        let eve = try requireValue(again.snapshot().object(GenericMapped.self, forPrimaryKey: 5))
        expectTrue(eve.firstName == "Eve" && eve.age == 8 && eve.nickname == nil)
    }

    // Covers 1.75
    @Test func schemaTellsBothNames() {
        let schema = GenericMapped().objectSchema
        expectEqual(schema["firstName"]?.columnName, "first_name")
        expectTrue(
            schema["nickname"]?.columnName == "age" && schema["age"]?.columnName == "nickname")
        expectTrue(schema.primaryKeyProperty?.name == "id" && schema["first_name"] == nil)
        expectTrue("\(schema)".contains("id: Int, primary key, stored as \"_id\""))
    }

    @Test func derivedClassHasTheMappingOfItsBase() async throws {
        expectEqual(MappedChild().objectSchema.properties.map(\.columnName), ["a_title", "number"])
        let realm = try await Realm.temporary([MappedParent.self, MappedChild.self])
        try await realm.write { tx in
            _ = try tx.create(MappedChild.self, value: ["title": "t", "number": 4])
        }
        expectEqual(realm.snapshot().objects(MappedChild.self).where { $0.title == "t" }.count, 1)
    }

    // Covers 1.66
    @Test func wrongMappingsAreToldTogetherAtOpen() async throws {
        let error = await realmError {
            try await Realm.temporary([MisMapped.self, LongMapped.self])
        }
        expectEqual(error?.code, .invalidInput)
        let lines = error?.message.split(separator: "\n") ?? []
        for sentence in [
            "propertiesMapping() of MisMapped gives a and b the same stored name \"b\".",
            "of MisMapped maps nothing to \"c\", but the class has no such property.",
            "of MisMapped maps inverse to \"d\", but an inverse is not stored",
            "of MisMapped maps link to \"with.dot\": a stored name can't be empty or contain a dot "
                + "or control",
            "of LongMapped maps a to \"nnn", "which has 64 bytes; the limit is 63.",
            "of LongMapped maps b to \"\": a stored name can't be empty",
            "LongMapped.numbers has the stored name \"number[]\": a collection's stored name can't",
        ] {
            expectTrue(lines.contains { $0.contains(sentence) }, "\(sentence) in \(lines)")
        }
        expectEqual(lines.count, 7)
    }

    // Covers 1.66
    @Test func errorsNameBoth() async throws {
        let realm = try await Realm.temporary(genericClasses)
        try await fill(realm)
        let taken = await realmError {
            try await realm.write { tx in try tx.add(GenericMapped(1, "again")) }
        }
        expectTrue(
            taken?.code == .duplicatePrimaryKey && taken?.property == "id", "\(taken as Any)")
        expectEqual(
            taken?.message.contains("whose id (stored as \"_id\") is"), true, "\(taken as Any)")
        let large = await realmError {
            try await realm.write { tx in
                tx.object(GenericMapped.self, forPrimaryKey: 1)?.firstName =
                    longText(17_000_000)
            }
        }
        expectTrue(large?.className == "GenericMapped" && large?.property == "firstName")
        expectEqual(
            large?.message.contains("GenericMapped.firstName (stored as \"first_name\")"), true,
            "\(large?.message.prefix(300) ?? "")")
        let element = await realmError {
            try await realm.write { tx in
                tx.object(GenericMapped.self, forPrimaryKey: 1)?.words
                    .append(longText(17_000_000))
            }
        }
        expectEqual(element?.property, "words")
        expectEqual(element?.message.contains("GenericMapped.words"), true)
    }

    // Covers 6.22
    @Test func mismatchNamesBoth() async throws {
        let folder = try RealmFolder()
        let first = try await Realm.open(folder.configuration("a.realm", [GenericMapped.self]))
        try await fill(first)
        await first.close()
        let error = await realmError {
            try await Realm.open(
                folder.configuration("a.realm", [Unmapped.Other.GenericMapped.self]))
        }
        expectTrue(error?.code == .schemaMismatch && error?.property == "title")
        expectEqual(
            error?.message.contains(
                "GenericMapped.title (stored as \"age\") is declared as Int, but stored as "
                    + "String?"), true, "\(error as Any)")
    }
}

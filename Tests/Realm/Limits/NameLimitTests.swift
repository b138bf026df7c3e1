import Foundation
import RegnumEngine
import RegnumJSON
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

private final class NamesWithAsManyBytesAsTheyCanHavexxxxxxxxxxxxxxxxxxxxxxxx: Object {
    @Persisted(primaryKey: true)
    var keyOf63Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: Int
    @Persisted var textsOf63Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: List<String>
    @Persisted var anyOf61Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: AnyRealmValue
    @Persisted
    var anysOf63Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: List<AnyRealmValue>
    @Persisted
    var entriesOf63Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: Map<String, AnyRealmValue>
    @Persisted
    var linkOf62Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx:
        NamesWithAsManyBytesAsTheyCanHavexxxxxxxxxxxxxxxxxxxxxxxx?
    @Persisted var short: Int

    override class func propertiesMapping() -> [String: String] {
        ["short": String(repeating: "c", count: 63)]
    }

    func fill() {
        keyOf63Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx = 1
        textsOf63Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.append("a")
        anyOf61Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx = .fromArray([.int(1)])
        anysOf63Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.append(
            .fromArray([.int(2)]))
        entriesOf63Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx["k"] =
            .fromDictionary(["n": .int(3)])
        short = 4
    }

    var isFull: Bool {
        keyOf63Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx == 1
            && textsOf63Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.first == "a"
            && anyOf61Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.listValue?.first
                == .int(1)
            && anysOf63Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.first?.listValue?
                .first
                == .int(2)
            && entriesOf63Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx["k"]?
                .dictionaryValue?["n"] == .int(3)
            && linkOf62Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx?.short == 4
            && short == 4
    }
}

private final class TooLongNames: Object {
    @Persisted
    var textOf64Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: String
    @Persisted var anyOf62Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: AnyRealmValue
    @Persisted
    var anysOf64Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: Map<String, AnyRealmValue>
    @Persisted var mapped: AnyRealmValue

    override class func propertiesMapping() -> [String: String] {
        ["mapped": String(repeating: "c", count: 62)]
    }
}

/// Names at their limits and beyond: of classes and properties, and of files.
@Suite(.disabled(if: Effort.isReduced)) struct NameLimitTests {
    private struct Name: Sendable {
        let limit: Int
        /// Returns the class and the property for a name.
        let place: @Sendable (String) -> (className: String, property: String)
        let type: String
        let value: String
    }

    private static let names = [
        Name(limit: 57, place: { ($0, "p") }, type: "\"int\"", value: "1"),
        Name(limit: 63, place: { ("A", $0) }, type: "\"int\"", value: "1"),
        Name(limit: 63, place: { ("A", $0) }, type: "\"int\",\"indexed\":true", value: "1"),
        Name(limit: 63, place: { ("A", $0) }, type: "\"string\",\"list\":true", value: "[\"a\"]"),
        Name(limit: 63, place: { ("A", $0) }, type: "\"any\",\"map\":true", value: "{}"),
        Name(
            limit: 61, place: { ("A", $0) }, type: "\"any\",\"optional\":true,\"indexed\":true",
            value: "{\"list\":[]}"),
    ]

    // Covers 1.76, 1.77, .invalidInput
    @Test(arguments: names.indices) func namesInSchemaLines(_ index: Int) async throws {
        let folder = try RealmFolder()
        let name = Self.names[index]
        for excess in [-1, 0, 1] {
            // Two bytes each, except for the first one of an odd number.
            let count = name.limit + excess
            let text =
                (count % 2 == 1 ? "n" : "") + String(repeating: "\u{E9}", count: count / 2)
            let (className, property) = name.place(text)
            let lines = """
                {"regnum":1,"schemaVersion":0,"version":1,"classes":[{"name":"\(className)",\
                "properties":[{"name":"\(property)","type":\(name.type)}]}]}
                {"class":"\(className)","key":1,"values":{"\(property)":\(name.value)}}
                """
            let realm = try await Realm.open(folder.configuration("\(excess).realm"))
            let error = await realmError { try await realm.importJSON(text: lines) }
            await realm.close()
            let again = try await Realm.open(folder.configuration("\(excess).realm"))
            let root = again.core.coordinator.published
            if excess <= 0 {
                expectNil(error, "\(error?.message ?? "")")
                let table = try requireValue(root.schema.table(named: className))
                expectEqual(root.count(table.key), 1)
            } else {
                expectTrue(error?.code == .invalidInput && error?.className == className)
                expectTrue(className == text || error?.property == property)
                expectEqual(error?.message.contains("\(name.limit)"), true)
                expectEqual(error?.message.contains("\(count)"), true)
                expectTrue(root.schema.tables.isEmpty)
            }
            await again.close()
        }
    }

    // Covers .fileAccess
    @Test(arguments: [254, 255, 256]) func namesOfFiles(_ byteCount: Int) async throws {
        let folder = try RealmFolder()
        let name =
            String(repeating: "\u{E9}", count: byteCount / 2)
            + String(repeating: "n", count: byteCount % 2)
        let place = URL(fileURLWithPath: folder.url.path + "/" + name)
        try await folder.makeRealm(rooms: ["general"])
        let realm = try await Realm.open(folder.configuration())
        let ways: [(String, () async throws -> Void)] = [
            ("export", { _ = try await realm.snapshot().exportJSON(to: place) }),
            ("replacing export", { _ = try await realm.snapshot().exportJSON(to: place) }),
            (
                "import",
                {
                    let other = try await Realm.temporary()
                    _ = try await other.importJSON(from: place)
                    expectEqual(other.snapshot().objects(Room.self).count, 1)
                }
            ),
            (
                "backup",
                {
                    try? FileManager.default.removeItem(at: place)
                    try await realm.backup(to: place)
                }
            ),
            (
                "seed",
                {
                    var seeded = folder.configuration("seeded.realm")
                    seeded.seedFile = place
                    let copy = try await Realm.open(seeded)
                    expectEqual(copy.snapshot().objects(Room.self).count, 1)
                    await copy.close()
                }
            ),
        ]
        for (way, body) in ways {
            let error = await realmError(body)
            expectEqual(error?.code, byteCount > 255 ? .fileAccess : nil, "\(way)")
            expectTrue(error == nil || error?.message.contains(name) == true, "\(way)")
        }
        await realm.close()
        let made = byteCount > 255 ? [] : [name, "seeded.realm"]
        try expectEqual(Set(folder.names()), Set(made + ["test.realm"]))
    }

    private typealias Longest = NamesWithAsManyBytesAsTheyCanHavexxxxxxxxxxxxxxxxxxxxxxxx

    private func padded(_ name: String, _ byteCount: Int) -> String {
        name + String(repeating: "x", count: byteCount - name.utf8.count)
    }

    /// Checks the object through its declared properties and by names.
    private func expectFull(_ realm: Realm, _ place: String) async throws {
        let (key, any) = (padded("keyOf63Bytes", 63), padded("anyOf61Bytes", 61))
        let texts = padded("textsOf63Bytes", 63)
        let condition =
            "\(key) == 1 AND \(padded("linkOf62Bytes", 62)).short == 4 AND \(any)[0] == 1 "
            + "AND ANY \(texts) == 'a'"
        try await realm.read { tx in
            let object = tx.object(Longest.self, forPrimaryKey: 1)
            expectEqual(object?.isFull, true, "\(place)")
            expectEqual(object?[key] as? Int, 1, "\(place)")
            try expectEqual(tx.objects(Longest.self).filter(condition).count, 1, "\(place)")
            let sorted = try tx.objects(Longest.self).sorted(byKeyPath: key)
            expectEqual(sorted.count, 1, "\(place)")
            let dynamic = try tx.dynamicObject(ofType: "\(Longest.self)", forPrimaryKey: 1)
            expectEqual(dynamic?[key] as? Int, 1, "\(place)")
            try expectEqual(dynamic?.dynamicList(texts).first as? String, "a", "\(place)")
        }
    }

    // Covers 1.76, 1.77
    @Test func namesInDeclarations() async throws {
        let folder = try RealmFolder()
        func open(_ name: String, asOther: Bool = false) async throws -> Realm {
            var configuration = folder.configuration(name, [Longest.self])
            if asOther {
                // The registry distinguishes by file system, so this stands for another process.
                configuration.adjust = { $0.fileSystem = PosixFileSystem() }
            }
            return try await Realm.open(configuration)
        }
        let realm = try await open("test.realm")
        let other = try await open("test.realm", asOther: true)
        try await realm.write { tx in
            let object = Longest()
            object.fill()
            try tx.add(object)
            object.linkOf62Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx = object
        }
        try await expectFull(realm, "in the realm itself")
        other.core.coordinator.hint()
        try await other.core.coordinator.waitUntil(
            version: realm.core.coordinator.published.version)
        try await expectFull(other, "in another process")
        await other.close()
        try await realm.snapshot().exportJSON(to: folder["text"])
        // more than fits into a record
        try await realm.write { tx in
            let object = try requireValue(tx.object(Longest.self, forPrimaryKey: 1))
            object.textsOf63Bytesxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.append(
                longText(5 << 20))
        }
        try await realm.backup(to: folder["copy.realm"])
        await realm.close()
        for name in ["test.realm", "copy.realm"] {
            let again = try await open(name)
            try await expectFull(again, name)
            await again.close()
        }
        let bare = try await Realm.open(folder.configuration("bare.realm"))
        try await bare.importJSON(from: folder["text"])
        await bare.close()
        for name in ["other.realm", "bare.realm"] {
            let again = try await open(name)
            if name == "other.realm" { try await again.importJSON(from: folder["text"]) }
            try await expectFull(again, name)
            await again.close()
        }
    }

    // Covers 1.76, 1.77, .invalidInput
    @Test func longerNamesInDeclarations() async throws {
        let error = await realmError { try await Realm.temporary([TooLongNames.self]) }
        expectEqual(error?.code, .invalidInput)
        let names = [
            padded("textOf64Bytes", 64) + " has a name of 64 bytes; the limit is 63.",
            padded("anyOf62Bytes", 62)
                + " has a name of 62 bytes; the limit for AnyRealmValue is 61.",
            padded("anysOf64Bytes", 64) + " has a name of 64 bytes; the limit is 63.",
            "mapped has a name of 62 bytes; the limit for AnyRealmValue is 61.",
        ]
        let lines = error?.message.split(separator: "\n").map { String($0) } ?? []
        expectEqual(Set(lines), Set(names.map { "TooLongNames.\($0)" }))
    }
}

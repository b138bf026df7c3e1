import Foundation
import Regnum
import RegnumJSON
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// A line that can't be imported, and the expected message.
struct JSONBadLine: Sendable, CustomTestStringConvertible {
    let line: String
    let code: Realm.Error.Code
    var className: String?
    var property: String?
    let says: String

    var testDescription: String { line }

    init(
        _ line: String, _ code: Realm.Error.Code, _ className: String? = nil,
        _ property: String? = nil, says: String
    ) {
        self.line = line
        self.code = code
        self.className = className
        self.property = property
        self.says = says
    }

    /// Returns a line with one property of a keyed object.
    static func keyed(_ property: String, _ value: String, says: String) -> JSONBadLine {
        JSONBadLine(
            #"{"class":"JSONKeyed","values":{"name":"x","\#(property)":\#(value)}}"#,
            .invalidValue, "JSONKeyed", property, says: says)
    }

    static func thing(
        _ property: String, _ value: String, _ code: Realm.Error.Code = .invalidValue, says: String
    ) -> JSONBadLine {
        JSONBadLine(
            #"{"class":"JSONThing","key":9,"values":{"\#(property)":\#(value)}}"#,
            code, "JSONThing", property, says: says)
    }

    /// Too few scalars to be truncated in a message, but many bytes.
    private static let faces = String(repeating: "😀", count: 30)

    static let all: [JSONBadLine] = [
        JSONBadLine("{", .invalidInput, says: "is not valid JSON: expected a key, at byte 2"),
        JSONBadLine("[1]", .invalidInput, says: "an array: expected an object"),
        JSONBadLine(#"{"class":"JSONKeyed"}"#, .invalidInput, says: "must have a \"class\" and"),
        JSONBadLine(
            #"{"class":"Nobody","values":{}}"#, .schemaMismatch, "Nobody", says: "no class"),
        JSONBadLine(
            #"{"class":"JSONThing.texts","values":{}}"#, .schemaMismatch, "JSONThing.texts",
            says: "There is no class"),
        JSONBadLine(
            #"{"class":"JSONPart","values":{}}"#, .invalidInput, "JSONPart", says: "is embedded"),
        JSONBadLine(
            #"{"class":"JSONKeyed","key":1,"values":{}}"#, .invalidInput, "JSONKeyed",
            says: "identified by their primary key"),
        JSONBadLine(
            #"{"class":"JSONKeyed","values":{}}"#, .invalidValue, "JSONKeyed", "name",
            says: "is the primary key and is missing"),
        JSONBadLine(
            #"{"class":"JSONKeyed","values":{"name":"first"}}"#, .duplicatePrimaryKey, "JSONKeyed",
            "name", says: "already has an object whose name is \"first\""),
        JSONBadLine(
            #"{"class":"JSONKeyed","values":{"name":"x","size":1}}"#, .schemaMismatch, "JSONKeyed",
            "size", says: "has no property \"size\""),
        JSONBadLine(
            #"{"class":"JSONKeyed","values":{"name":"x","name":"y"}}"#, .invalidInput, "JSONKeyed",
            "name", says: "twice"),
        JSONBadLine(#"{"regnum":1}"#, .invalidInput, says: "only the first line"),
        JSONBadLine(#"{"class":"\ud800","values":{}}"#, .invalidInput, says: "surrogate"),
        JSONBadLine(
            String(repeating: "[", count: 353), .invalidInput, says: "deeper than 352 levels"),
        JSONBadLine(
            String(repeating: #"{"a":["#, count: 200), .invalidInput,
            says: "deeper than 352 levels"),
        JSONBadLine(
            #"{"class":"JSONKeyed","values":{"name":3}}"#, .invalidValue, "JSONKeyed", "name",
            says: "of type string and cannot hold the number 3"),
        .keyed("small", "1000", says: "of type Int8 and cannot hold 1000"),
        .keyed("small", "1.5", says: "of type int and cannot hold the number 1.5"),
        .keyed("small", "null", says: "is required and cannot be null"),
        .keyed("small", "99999999999999999999", says: "cannot hold the number 9999"),
        .keyed(
            "friend", "4",
            says: "expected the primary key of an object of JSONKeyed, of type string"),
        .keyed("thing", #""a""#, says: "expected a number, the key of an object of JSONThing"),
        .thing("double", "1e999", says: "of type double and cannot hold the number 1e999"),
        .thing("double", #""NaN:0""#, says: "of type double and cannot hold the string"),
        .thing("data", #""!""#, says: "of type data and cannot hold the string \"!\""),
        .thing("date", #""2026-02-30T00:00:00Z""#, says: "of type date and cannot hold"),
        .thing("date", #""NaN""#, says: "cannot hold a date that is NaN"),
        .thing("uuid", #""1""#, says: "of type uuid and cannot hold"),
        .thing("uuid", #""\#(faces)""#, says: #"cannot hold the string "\#(faces)""#),
        .thing("decimal", #""one""#, says: "of type decimal and cannot hold"),
        .thing("decimal", "1e7000", says: "of type decimal and cannot hold the number 1e7000"),
        .thing("decimal", #""-1E+6145""#, says: "of type decimal and cannot hold the string"),
        .thing("mood", #""sad""#, says: "of type JSONMood and cannot hold \"sad\""),
        .thing("texts", "{}", says: "is a list and cannot be an object"),
        .thing("texts", "[1]", says: "has elements of type string and cannot hold the number 1"),
        .thing("dates", "[]", says: "is a map and cannot be an array"),
        .thing("dates", #"{"a.b":null}"#, says: "%2E"),
        .thing("dates", #"{"a":null,"a":null}"#, .invalidInput, says: "the key \"a\" twice"),
        .thing("part", "1", says: "expected a JSON object with the properties of JSONPart"),
        JSONBadLine(
            #"{"class":"JSONThing","key":9,"values":{"parts":[{"bolts":[{"size":"x"}]}]}}"#,
            .invalidValue, "JSONBolt", "size", says: "of type double"),
        .thing("keyedSet", "[true]", says: "the primary key of an object of JSONKeyed"),
        .thing(
            "other", "77", .invalidInput,
            says: "with the key 77, which is neither in the rest of the input"),
    ]
}

@Suite struct JSONImportTests {
    private static let head =
        #"{"regnum":1,"schemaVersion":0,"version":1,"classes":[]}"# + "\n"
        + #"{"class":"JSONKeyed","values":{"name":"first"}}"# + "\n"

    @Test func keyOfAMissingObjectIsPlain() async throws {
        let links = [
            (#"{"class":"JSONThing","key":1,"values":{"other":77}}"#, "77"),
            (#"{"class":"JSONKeyed","values":{"name":"a","friend":"none"}}"#, "none"),
        ]
        for (line, key) in links {
            let realm = try await Realm.json(jsonTypes)
            let error = await realmError { try await realm.importJSON(text: line) }
            expectTrue(error?.code == .invalidInput && error?.key == key, "\(error as Any)")
        }
    }

    @Test(arguments: JSONBadLine.all) func badLineIsNamedAndItsBatchIsNotImported(
        _ bad: JSONBadLine
    ) async throws {
        let good = #"{"class":"JSONKeyed","values":{"name":"third","friend":"ahead"}}"#
        let late = #"{"class":"JSONKeyed","values":{"name":"ahead"}}"#
        let text = Self.head + good + "\n" + bad.line + "\n" + late + "\n"
        for (batchSize, names) in [(1, ["first", "third"]), (3, ["first", "third"]), (nil, [])] {
            let realm = try await Realm.json(jsonTypes)
            let error = await realmError {
                try await realm.importJSON(text: text, batchSize: batchSize)
            }
            expectTrue(error?.code == bad.code && error?.line == 4)
            expectTrue(error?.className == bad.className && error?.property == bad.property)
            expectTrue(error?.message.hasPrefix("Line 4") ?? false)
            expectTrue(error?.message.contains(bad.says) ?? false, "\(error?.message ?? "")")
            // Objects created for links whose lines weren't reached are removed; that a line is
            // missing is only known at the end.
            let isLate = bad.says.contains("neither") && batchSize == 1
            let keyed = realm.snapshot().objects(JSONKeyed.self).compactMap(\.name)
            expectEqual(Set(keyed), Set(isLate ? names + ["ahead"] : names))
            expectTrue(realm.snapshot().objects(JSONThing.self).count == (isLate ? 1 : 0))
        }
    }

    /// One character of a megabyte, in each place.
    @Test func messagesAboutLongTextsAreShort() async throws {
        let long = "a" + String(repeating: "\u{301}", count: 500_000)
        let realm = try await Realm.json(jsonTypes)
        var classes = [#""name":"\#(long)""#]
        for property in [
            #""name":"\#(long)""#, #""name":"a","type":"\#(long)""#,
            #""name":"a","class":"\#(long)""#,
        ] {
            classes.append(#""name":"A","properties":[{\#(property)}]"#)
        }
        var lines = classes.map { #"{"regnum":1,"classes":[{\#($0)}]}"# }
        lines += [
            #"{"\#(long)":1}"#, #"{"class":"\#(long)","values":{}}"#,
            #"{"class":"JSONKeyed","values":{"\#(long)":1}}"#,
            #"{"class":"JSONKeyed","values":{"name":"a","small":"\#(long)"}}"#,
            #"{"class":"JSONThing","values":{"any":{"\#(long)":1}}}"#,
            #"{"class":"JSONThing","values":{"any":{"object":{"class":"\#(long)","key":1}}}}"#,
            #"{"regnum":1,"\#(long)":1}"#,
        ]
        for line in lines {
            let error = await realmError { try await realm.importJSON(text: line) }
            expectTrue(error?.line == 1 && (error?.message.utf8.count ?? .max) < 1_000)
        }
    }

    @Test func objectsThatAreThereAreUpdated() async throws {
        let realm = try await Realm.json(jsonTypes)
        try await realm.write { tx in
            try tx.create(JSONKeyed.self, value: ["name": "a", "small": 3])
            try tx.create(JSONKeyed.self, value: ["name": "b", "small": 4])
        }
        let text =
            #"{"class":"JSONKeyed","values":{"name":"a","friend":"b"}}"# + "\r\n\r\n"
            + #"{"class":"JSONKeyed","values":{"name":"b","small":-4.0}}"#
        let version = realm.snapshot().version
        try await expectEqual(realm.importJSON(text: text, update: .modified).objectCount, 2)
        let all = realm.snapshot().objects(JSONKeyed.self)
        expectTrue(all.map(\.small) == [3, -4] && all[0].friend?.name == "b")
        expectEqual(realm.snapshot().version, version + 1)
        // Imports again: nothing differs, so nothing is committed.
        try await realm.importJSON(text: text, update: .modified)
        expectEqual(realm.snapshot().version, version + 1)
        try await realm.importJSON(text: text, update: .all)
        expectEqual(realm.snapshot().version, version + 2)
    }

    @Test func listsSetsMapsAndEmbeddedObjectsAreReplaced() async throws {
        let realm = try await Realm.json()
        let schema =
            #"{"regnum":1,"classes":[{"name":"A","properties":["#
            + #"{"name":"id","type":"int","key":true},"#
            + #"{"name":"l","list":true,"type":"string"},{"name":"s","set":true,"type":"int"},"#
            + #"{"name":"m","map":true,"type":"float","optional":true},{"name":"e","class":"E"}]},"#
            + #"{"name":"E","embedded":true,"properties":[{"name":"d","type":"decimal"}]}]}"# + "\n"
        func line(_ values: String) -> String { #"{"class":"A","values":{"id":1,\#(values)}}"# }
        let first = line(#""l":["a","b"],"s":[3,1,3],"m":{"y":null,"x":0.1},"e":{"d":"1.500"}"#)
        try await realm.importJSON(text: schema + first)
        #expect(
            try await realm.snapshot().json().hasSuffix(
                #""l":["a","b"],"s":[1,3],"m":{"x":0.1,"y":null}}}"# + "\n"))
        #expect(try await realm.snapshot().json().contains(#""e":{"d":"1.500"}"#))
        let second = line(#""l":["c"],"s":[3,4],"m":{"z":2},"e":{"d":"NaN"}"#)
        try await realm.importJSON(text: second, update: .modified)
        let text = try await realm.snapshot().json()
        #expect(
            text.hasSuffix(
                #"{"id":1,"e":{"d":"NaN"},"l":["c"],"s":[3,4],"m":{"z":2.0}}}"# + "\n"))
        let error = await realmError { try await realm.importJSON(text: second) }
        expectTrue(error?.code == .duplicatePrimaryKey && error?.key == "1")
    }

    @Test func schemasThatDifferAreRefused() async throws {
        func text(_ properties: String) -> String {
            #"{"regnum":1,"classes":[{"name":"JSONKeyed","properties":[\#(properties)]}]}"#
        }
        let cases: [(String, Realm.Error.Code, String?, String)] = [
            (text(#"{"name":"size","type":"int"}"#), .schemaMismatch, "size", "no property size"),
            (
                text(#"{"name":"small","type":"string"}"#), .schemaMismatch, "small",
                "is String in the input, but"
            ),
            (
                text(#"{"name":"small","list":true,"type":"int"}"#), .schemaMismatch, "small",
                "List<Int>"
            ),
            (
                text(#"{"name":"small","type":"what"}"#), .invalidInput, "small",
                "unknown type \"what\""
            ),
            (text(#"{"name":"small"}"#), .invalidInput, "small", "neither a type nor a class"),
            (
                #"{"regnum":2,"new":{}}"#, .unsupportedFormat, nil,
                "The input has format 2"
            ),
            (
                #"{"regnum":1,"classes":[{"name":"Other","properties":[]}]}"#, .invalidInput, nil,
                "not among the objectTypes"
            ),
        ]
        for (line, code, property, says) in cases {
            let realm = try await Realm.json(jsonTypes)
            let error = await realmError { try await realm.importJSON(text: line) }
            expectTrue(error?.code == code && error?.property == property && error?.line == 1)
            expectTrue(error?.message.contains(says) ?? false, "\(error?.message ?? line)")
            expectEqual(realm.snapshot().version, 0)
        }
    }

    @Test func numbersOfObjectsThatStandTwiceAreRefused() async throws {
        let realm = try await Realm.json(jsonTypes)
        let line = #"{"class":"JSONThing","key":4,"values":{"tag":1}}"# + "\n"
        let error = await realmError { try await realm.importJSON(text: line + line) }
        expectTrue(error?.code == .duplicatePrimaryKey && error?.key == "4" && error?.line == 2)
        // In another import the key stands for another object.
        try await realm.importJSON(text: line)
        try await realm.importJSON(text: line)
        expectEqual(realm.snapshot().objects(JSONThing.self).count, 2)
    }

    @Test func keysOutOfOrderMeanTheirObjects() async throws {
        let realm = try await Realm.json(jsonTypes)
        var keys = Array(0..<60)
        var random = SeededRandom()
        keys.shuffle(using: &random)
        let text = keys.map { key in
            #"{"class":"JSONThing","key":\#(key * 3),"values":{"tag":\#(key),"other":"#
                + #"\#((key + 7) % 60 * 3),"others":[\#(key * 3),\#((key + 1) % 60 * 3)]}}"#
        }
        try await realm.importJSON(text: text.joined(separator: "\n"), batchSize: 7)
        let things = realm.snapshot().objects(JSONThing.self)
        expectEqual(things.count, 60)
        for thing in things {
            expectTrue(thing.other?.tag == (thing.tag + 7) % 60)
            expectEqual(thing.others.map(\.tag), [thing.tag, (thing.tag + 1) % 60])
        }
    }

    /// The tool removes the realm that a failed import has created.
    @Test func onlyAnUnchangedRealmIsRemoved() async throws {
        let folder = try RealmFolder()
        func snapshot(_ rooms: [String]) async throws -> Snapshot {
            let realm = try await Realm.open(folder.configuration())
            let snapshot = realm.snapshot()
            try await realm.write { tx in for room in rooms { try tx.add(Room(room)) } }
            await realm.close()
            return snapshot
        }
        try await snapshot(["a"]).removeUnchangedRealm()
        try await expectTrue(Realm.fileExists(for: folder.configuration()))
        try await snapshot([]).removeUnchangedRealm()
        try await expectTrue(!Realm.fileExists(for: folder.configuration()))
    }

    @Test func dataInAnyPiecesAndWithTheLastLineOpenIsRead() async throws {
        let realm = try await Realm.json(jsonTypes)
        let text = #"{"class":"JSONKeyed","values":{"name":"\ud83d\udc69\u0041é\n","small":1}}"#
        let chunks = JSONChunks(bytes: Array(text.utf8), size: 1)
        let summary = try await realm.importJSON(from: chunks)
        expectTrue(summary.objectCount == 1 && summary.batchCount == 1)
        expectEqual(realm.snapshot().objects(JSONKeyed.self)[0].name, "👩Aé\n")
        let bad = JSONChunks(bytes: Array(#"{"class":""#.utf8) + [0xFF, 0x22])
        await expectTrue(
            realmError { try await realm.importJSON(from: bad) }?.message
                .contains("invalid UTF-8") ?? false)
    }
}

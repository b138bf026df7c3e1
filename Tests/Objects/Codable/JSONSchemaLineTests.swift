import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumJSON
@testable import RegnumTestModels

final class JSONCafé: Object { @Persisted var number: Int }
private final class JSONMenu: Object { @Persisted var place: JSONCafé? }

/// Schema lines that the library doesn't write, and those that it must continue to read.
@Suite struct JSONSchemaLineTests {
    struct Refused: Sendable, CustomTestStringConvertible {
        let line: String
        let className: String?
        let property: String?
        let says: String

        var testDescription: String { line }

        static func head(_ members: String, says: String) -> Refused {
            Refused(line: #"{"regnum":1,\#(members)}"#, className: nil, property: nil, says: says)
        }

        /// A line with the class `A` last, after `E` (embedded), `S` (asymmetric) and `B`.
        static func classes(
            _ members: String, _ className: String? = "A", _ property: String? = nil, says: String
        ) -> Refused {
            let others =
                #"{"name":"E","embedded":true,"properties":[{"name":"x","type":"int"}]},"#
                + #"{"name":"S","asymmetric":true,"properties":[{"name":"x","type":"int"}]},"#
                + #"{"name":"B","properties":[{"name":"x","type":"int"}]}"#
            return Refused(
                line: #"{"regnum":1,"classes":[\#(others),{\#(members)}]}"#,
                className: className, property: property, says: says)
        }

        /// A line with the property `p` of `A`.
        static func property(_ members: String, says: String) -> Refused {
            classes(
                #""name":"A","properties":[{"name":"q","type":"int"},{"name":"p",\#(members)}]"#,
                "A", "p", says: says)
        }

        static let all: [Refused] = [
            .head(
                #""schemaVersion":-1"#, says: #"invalid member: "schemaVersion" is the number -1"#),
            .head(#""schemaVersion":1.5"#, says: "the number 1.5"),
            .head(
                #""schemaVersion":18446744073709551616"#, says: "the number 18446744073709551616"),
            .head(#""schemaVersion":"1""#, says: #"invalid member: "schemaVersion" is the string"#),
            .head(#""version":-1"#, says: #"invalid member: "version" is the number -1"#),
            .head(#""version":1,"version":2"#, says: #"has "version" twice"#),
            .head(#""classes":[],"classes":[]"#, says: #"has "classes" twice"#),
            .head(#""regnum":1"#, says: #"has "regnum" twice"#),
            .head(#""classes":{}"#, says: #"invalid member: "classes" is an object"#),
            .head(#""classes":[1]"#, says: "has the number 1 instead of a class"),
            .head(#""classes":[{"properties":[]}]"#, says: "has a class without a name"),
            .head(#""more":1"#, says: #"invalid member: "more""#),

            .classes(#""name":"A","name":"C","properties":[]"#, says: #"has "name" twice"#),
            .classes(
                #""name":"A","properties":[],"properties":[]"#, says: #"has "properties" twice"#),
            .classes(
                #""name":"A","embedded":false,"embedded":true"#, says: #"has "embedded" twice"#),
            .classes(#""name":"A","more":true"#, says: #"invalid member: "more" is true"#),
            .classes(
                #""embedded":true,"asymmetric":true,"name":"A""#,
                says: "both embedded and asymmetric"),
            .classes(#""name":"B","properties":[]"#, "B", says: "appears twice"),
            .classes(#""name":"A.b","properties":[]"#, "A.b", says: "a name with a dot"),
            .classes(#""name":"\u0001A""#, "\u{1}A", says: "leading control character"),
            .classes(#""name":"A","properties":[1]"#, says: "instead of a property"),
            .classes(#""name":"A","properties":[{"type":"int"}]"#, says: "without a name"),
            .classes(
                #""name":"A","properties":[{"name":"p","type":"int"},{"name":"p","type":"bool"}]"#,
                "A", "p", says: "appears twice"),
            .classes(
                #""name":"A","properties":[{"name":"p","type":"int","key":true},"#
                    + #"{"name":"q","type":"int","key":true}]"#,
                "A", "q", says: "two primary keys"),
            .classes(
                #""name":"A","embedded":true,"properties":"#
                    + #"[{"name":"p","type":"int","key":true}]"#,
                "A", "p", says: "which an embedded class cannot have"),

            .property(#""type":"int","name":"r""#, says: #"has "name" twice"#),
            .property(#""type":"int","type":"bool""#, says: #"has "type" twice"#),
            .property(#""type":"int","key":true,"key":false"#, says: #"has "key" twice"#),
            .property(#""type":"int","class":"B""#, says: "has both a type and a class"),
            .property(#""class":"B","type":"int""#, says: "has both a type and a class"),
            .property(#""list":true,"map":true,"type":"int""#, says: "more than one of a list"),
            .property(#""set":true,"list":true,"class":"B""#, says: "more than one of a list"),
            .property(#""list":1,"type":"int""#, says: #"invalid member: "list" is the number 1"#),
            .property(#""type":"int","more":0"#, says: #"invalid member: "more""#),
            .property(#""type":"Int""#, says: #"the unknown type "Int""#),
            .property(#""list":true"#, says: "neither a type nor a class"),
            .property(#""list":true,"type":"int","key":true"#, says: "cannot be a key"),
            .property(#""map":true,"type":"string","key":true"#, says: "cannot be a key"),
            .property(#""class":"B","key":true"#, says: "cannot be a key"),
            .property(#""set":true,"class":"B","key":true"#, says: "cannot be a key"),
            .property(#""class":"B","indexed":true"#, says: "or indexed"),
            .property(#""class":"B","fullTextIndexed":true"#, says: "or indexed"),
            .property(
                #""type":"int","fullTextIndexed":true"#, says: "cannot have a full-text index"),
            .property(#""list":true,"type":"int","indexed":true"#, says: "or indexed"),
            .property(#""list":true,"type":"int","geoIndexed":true"#, says: "a list of doubles"),
            .property(#""set":true,"type":"double","geoIndexed":true"#, says: "a list of doubles"),
            .property(#""type":"double","geoIndexed":true"#, says: "a list of doubles"),
            .property(#""class":"B","default":null"#, says: "have a default"),
            .property(#""list":true,"type":"int","default":[]"#, says: "have a default"),
            .property(#""list":true,"class":"B","optional":true"#, says: "cannot be optional"),
            .property(#""type":"int","default":1.5"#, says: "the invalid default the number 1.5"),
            .property(#""type":"double","key":true"#, says: "cannot be a primary key"),
            .property(#""type":"any""#, says: "must be optional"),
            .property(#""class":"None""#, says: "None, which doesn't exist"),
            .property(#""class":"A.p""#, says: "A.p, which doesn't exist"),
            .property(#""class":"S""#, says: "S, which is asymmetric"),
            .property(#""list":true,"class":"S""#, says: "S, which is asymmetric"),
            .property(#""set":true,"class":"S""#, says: "S, which is asymmetric"),
            .property(#""map":true,"class":"S""#, says: "S, which is asymmetric"),
            .property(#""set":true,"class":"E""#, says: "is a set of embedded objects"),
            .classes(
                #""name":"A","properties":[{"name":"p[]","list":true,"type":"int"}]"#, "A", "p[]",
                says: "has a reserved name"),
            .classes(
                #""name":"A","properties":[{"name":"\u0001p","type":"int"}]"#, "A", "\u{1}p",
                says: "has a reserved name"),
        ]
    }

    // Covers .invalidInput
    @Test(arguments: Refused.all) func linesThatContradictThemselvesAreRefused(
        _ refused: Refused
    ) async throws {
        let realm = try await Realm.json()
        let object = "\n" + #"{"class":"B","key":1,"values":{}}"#
        let error = await realmError { try await realm.importJSON(text: refused.line + object) }
        expectTrue(error?.code == .invalidInput && error?.line == 1)
        expectEqual(error?.className, refused.className)
        expectEqual(error?.property, refused.property)
        expectEqual(error?.message.contains(refused.says), true, "\(error?.message ?? "none")")
        expectEqual(realm.snapshot().version, 0)
        expectTrue(realm.core.coordinator.published.schema.tables.isEmpty)
    }

    /// Names are the same only if their bytes are.
    @Test func namesThatSwiftTakesForEqualAreDifferent() async throws {
        let (one, two) = ("caf\u{E9}", "cafe\u{301}")
        let classes = [one, two].map { name in
            #"{"name":"\#(name)","properties":[{"name":"\#(one)","type":"int"},"#
                + #"{"name":"\#(two)","list":true,"type":"string"}]}"#
        }
        let lines = [one, two].map { name in
            #"{"class":"\#(name)","key":0,"values":{"\#(one)":1,"\#(two)":["a"]}}"#
        }
        let head = #"{"regnum":1,"classes":[\#(classes.joined(separator: ","))]}"#
        let realm = try await Realm.json()
        try await realm.importJSON(text: ([head] + lines).joined(separator: "\n"))
        try await realm.write { tx in
            for name in [one, two] {
                let object = try requireValue(tx.dynamicObjects(name).first)
                expectEqual(object.propertyNames.count, 2)
                expectEqual(object[one] as? Int, 1)
                expectEqual((object[two] as? DynamicList)?.count, 1)
            }
        }
        let text = try await realm.snapshot().json()
        let other = try await Realm.json()
        try await expectEqual(other.importJSON(text: text).objectCount, 2)
        try await expectEqual(other.snapshot().json(), text)
    }

    /// The second class is not the one that the program declares.
    @Test func declaredClassesAreFoundByTheBytesOfTheirNames() async throws {
        let realm = try await Realm.json()
        try await realm.write { _ = try $0.create(JSONCafé.self, value: ["number": 1]) }
        let name = "JSONCafe\u{301}"
        try await realm.write { tx in
            #expect(throws: Realm.Error.self) { try tx.dynamicObjects(name) }
        }
        let head =
            #"{"regnum":1,"classes":[{"name":"\#(name)","properties":"#
            + #"[{"name":"number","type":"string"}]}]}"#
        let line = #"{"class":"\#(name)","key":1,"values":{"number":"one"}}"#
        try await realm.importJSON(text: head + "\n" + line)
        let names = realm.snapshot().storedClasses.map { Array($0.schema.name.utf8) }
        expectEqual(names, [Array("JSONCaf\u{E9}".utf8), Array(name.utf8)])
    }

    /// Links to the stored class don't lead to the declared one, and its objects aren't deleted.
    @Test func classesWithEqualNamesOfOtherBytesAreNotConfused() async throws {
        let folder = try RealmFolder()
        var configuration = folder.configuration()
        let name = "JSONCafe\u{301}"
        let head =
            #"{"regnum":1,"classes":[{"name":"\#(name)","properties":[{"name":"number","#
            + #""type":"int"}]},{"name":"JSONMenu","properties":[{"name":"place","#
            + #""class":"\#(name)"}]}]}"#
        let line = #"{"class":"\#(name)","key":0,"values":{"number":1}}"#
        let first = try await Realm.open(configuration)
        try await first.importJSON(text: head + "\n" + line)
        await first.close()
        configuration.objectTypes = [JSONCafé.self, JSONMenu.self]
        let error = await realmError { [configuration] in
            _ = try await Realm.open(configuration)
        }
        expectEqual(error?.code, .schemaMismatch)
        configuration.objectTypes = [JSONCafé.self]
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in
            try tx.add(JSONCafé())
            tx.deleteAll()
            expectEqual(tx.objects(JSONCafé.self).count, 0)
            try expectEqual(tx.dynamicObjects(name).count, 1)
        }
    }

    /// A link to another class of an equal name is another property.
    @Test func linkedClassesAreComparedByBytes() async throws {
        let (one, two) = ("caf\u{E9}", "cafe\u{301}")
        let named = [one, two].map {
            #"{"name":"\#($0)","properties":[{"name":"n","type":"int"}]}"#
        }.joined(separator: ",")
        func head(_ target: String) -> String {
            #"{"regnum":1,"classes":[\#(named),{"name":"A","properties":"#
                + #"[{"name":"link","class":"\#(target)"}]}]}"#
        }
        let realm = try await Realm.json()
        try await realm.importJSON(text: head(one))
        try await realm.importJSON(text: head(one))
        let error = await realmError { try await realm.importJSON(text: head(two)) }
        expectTrue(error?.code == .schemaMismatch && error?.property == "link")
    }

    private enum Before {
        final class JSONNote: Object {
            @Persisted var number: Int
            @Persisted var other: JSONTag?
            @Persisted var others: List<JSONTag>
            @Persisted var named: Map<String, JSONTag?>
        }
        final class JSONTag: Object { @Persisted var name: String }
        static let types: [ObjectBase.Type] = [JSONNote.self, JSONTag.self]
    }
    private enum After {
        final class JSONNote: AsymmetricObject { @Persisted var number: Int }
        static let types: [ObjectBase.Type] = [JSONNote.self]
    }

    /// A class that becomes asymmetric keeps the links that the program no longer declares.
    @Test func linksOfAClassThatBecameAsymmetricAreImported() async throws {
        let folder = try RealmFolder()
        var configuration = folder.configuration()
        configuration.objectTypes = Before.types
        let before = try await Realm.open(configuration)
        try await before.write { tx in
            let tag = try tx.create(Before.JSONTag.self, value: ["name": "t"])
            try tx.create(
                Before.JSONNote.self,
                value: ["number": 1, "other": tag, "others": [tag], "named": ["a": tag]])
        }
        await before.close()
        configuration.objectTypes = After.types
        configuration.schemaVersion = 1
        configuration.migration = { _, _ in }
        let after = try await Realm.open(configuration)
        let text = try await after.snapshot().json()
        expectTrue(text.contains(#""asymmetric":true"#))
        let other = try await Realm.json()
        try await expectEqual(other.importJSON(text: text).objectCount, 2)
        let again = try await other.snapshot().json()
        expectEqual(
            again.split(separator: "\n").dropFirst(), text.split(separator: "\n").dropFirst())
        await after.close()
    }
}

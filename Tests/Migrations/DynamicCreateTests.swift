import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Objects created by class name.
@Suite struct DynamicCreateTests {
    enum FreshKind: String, PersistableEnum { case small, large }
    final class FreshOwner: Object {
        @Persisted(primaryKey: true) var id = UUID()
        @Persisted var made: Date
        @Persisted var number = 7
        @Persisted var kind: FreshKind
        @Persisted var leaf: FreshLeaf? = FreshLeaf(value: ["text": "leaf"])
        @Persisted var part: FreshPart? = FreshPart(value: ["text": "part"])
        @Persisted var tags = FreshOwner.tags()
        @Persisted var any: AnyRealmValue = .string("any")
        private static func tags() -> List<String> {
            let tags = List<String>()
            tags.append("tag")
            return tags
        }
    }
    final class FreshLeaf: Object { @Persisted var text: String }
    final class FreshPart: EmbeddedObject {
        @Persisted var text: String
        @Persisted var id = ObjectId.generate()
    }
    final class FreshKeyed: Object {
        @Persisted(primaryKey: true) var id: Int?
        @Persisted var name = "none"
        @Persisted var words: List<String>
        @Persisted var friend: FreshKeyed?
    }
    final class FreshNarrow: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var small: Int8
        @Persisted var kind: FreshKind?
        @Persisted var smalls: List<Int8>
        @Persisted var kinds: MutableSet<FreshKind>
        @Persisted var byName: Map<String, Int8>
        @Persisted var next: FreshNarrow?
    }
    static let types: [ObjectBase.Type] = [
        FreshOwner.self, FreshLeaf.self, FreshPart.self, FreshKeyed.self, FreshNarrow.self,
    ]

    // Covers 5.72, 7.14
    @Test func defaultsAreThoseOfANewObject() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            for _ in 0..<2 { try tx.dynamicCreate("FreshOwner") }
            try tx.dynamicCreate(
                "FreshOwner", value: ["leaf": nil, "part": ["text": "own"], "number": 1])
            let owners = tx.objects(FreshOwner.self)
            expectEqual(Set(owners.map(\.id)).count, 3)
            expectTrue(
                owners.allSatisfy { abs($0.made.timeIntervalSinceNow) < 60 && $0.kind == .small })
            expectEqual(owners.map { $0.leaf?.text }, ["leaf", "leaf", nil])
            expectEqual(owners.map { $0.part?.text }, ["part", "part", "own"])
            expectEqual(Set(owners.compactMap { $0.part?.id }).count, 3)
            expectEqual(owners.map(\.number), [7, 7, 1])
            expectTrue(owners.allSatisfy { Array($0.tags) == ["tag"] && $0.any == .string("any") })
            expectEqual(tx.objects(FreshLeaf.self).count, 2)
        }
    }

    // Covers .invalidInput
    @Test func classesWithoutIndependentObjectsAreNamedByTheirKind() async throws {
        let realm = try await Realm.temporary([AsymReading.self, AsymPlace.self])
        try await realm.write { tx in
            for (name, kind) in [("AsymReading", "asymmetric"), ("AsymPlace", "embedded")] {
                let error = #expect(throws: Realm.Error.self) { try tx.dynamicCreate(name) }
                expectTrue(error?.code == .invalidInput && error?.className == name)
                expectEqual(error?.message.contains("\(name) is an \(kind) class"), true)
            }
        }
    }

    // Covers 5.72
    @Test func keysThatAreNilOrDefaultAreFound() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            for name in ["a", "b"] {
                try tx.dynamicCreate("FreshKeyed", value: ["name": name], update: .modified)
                try tx.dynamicCreate(
                    "FreshKeyed", value: ["id": nil, "words": [name]], update: .all)
            }
            let keyed = tx.objects(FreshKeyed.self)
            expectTrue(keyed.count == 1 && keyed[0].name == "b" && Array(keyed[0].words) == ["b"])
            let error = #expect(throws: Realm.Error.self) {
                try tx.dynamicCreate("FreshLeaf", value: ["text": "x"], update: .modified)
            }
            expectTrue(error?.code == .invalidInput && tx.objects(FreshLeaf.self).isEmpty)
        }
    }

    // Covers 5.72
    @Test func updateThatFailsChangesNothing() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            try tx.dynamicCreate("FreshKeyed", value: ["id": 1, "name": "old", "words": ["w"]])
            for wrong: [String: Any?] in [
                ["id": 1, "name": "new", "words": [1]], ["id": 1, "name": "new", "friend": 5],
                ["id": 1, "friend": ["id": 2], "name": 5], ["id": 1, "name": "new", "none": 1],
                ["id": "x", "name": "new"],
            ] {
                for policy in [Realm.UpdatePolicy.modified, .all] {
                    #expect(throws: Realm.Error.self) {
                        try tx.dynamicCreate("FreshKeyed", value: wrong, update: policy)
                    }
                }
            }
            let keyed = tx.objects(FreshKeyed.self)
            expectTrue(keyed.count == 1 && keyed[0].name == "old" && Array(keyed[0].words) == ["w"])
            expectNil(keyed[0].friend)
        }
    }

    /// Values that the stored type has and the declared type doesn't.
    // Covers 12.27, .invalidValue
    @Test func valuesThatTheProgramCouldNotReadAreRefused() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in try tx.create(FreshNarrow.self, value: ["id": 1]) }
        let wrong: [(String, @Sendable (Transaction, DynamicObject) throws -> Void)] = [
            ("small is of type Int8", { _, narrow in narrow["small"] = 300 }),
            ("small is of type Int8", { _, narrow in try narrow.set(-129, of: "small") }),
            ("kind is of type FreshKind?", { _, narrow in narrow["kind"] = "x" }),
            ("smalls is of type List<Int8>", { _, narrow in narrow["smalls"] = [1, 300] }),
            (
                "smalls is of type List<Int8>",
                { _, narrow in try narrow.dynamicList("smalls").append(300) }
            ),
            (
                "kinds is of type MutableSet<FreshKind>",
                { _, narrow in try narrow.dynamicMutableSet("kinds").insert("x") }
            ),
            (
                "byName is of type Map<String, Int8>",
                { _, narrow in try narrow.dynamicMap("byName").set(300, forKey: "k") }
            ),
            (
                "small is of type Int8",
                { tx, _ in try tx.dynamicCreate("FreshNarrow", value: ["id": 2, "small": 300]) }
            ),
            (
                "kind is of type FreshKind?",
                { _, narrow in narrow["next"] = ["id": 2, "kind": "x"] as [String: Any] }
            ),
        ]
        for (sentence, change) in wrong {
            let error = await realmError {
                try await realm.write { tx in
                    let narrow = try requireValue(
                        tx.dynamicObject(ofType: "FreshNarrow", forPrimaryKey: 1))
                    try change(tx, narrow)
                }
            }
            expectEqual(error?.code, .invalidValue)
            expectEqual(
                error?.message.hasPrefix("FreshNarrow.\(sentence) and cannot hold "), true,
                "\(sentence): \(error as Any)")
        }
        let narrow = try requireValue(realm.snapshot().objects(FreshNarrow.self).first)
        expectTrue(narrow.small == 0 && narrow.kind == nil && narrow.smalls.isEmpty)
    }

    // Covers 5.72
    @Test func arraysAndObjectsAreValues() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            let friend = FreshKeyed(value: [3, "friend"])
            let made = try tx.dynamicCreate("FreshKeyed", value: [1, "a", ["x"], friend])
            expectTrue(made["name"] as? String == "a" && friend.isManaged)
            try tx.dynamicCreate("FreshKeyed", value: [2, "b", [], [4, "nested"]] as [Any?])
            try tx.dynamicCreate("FreshKeyed", value: FreshKeyed(value: [5, "c", ["y"]]))
            try tx.dynamicCreate("FreshKeyed", value: made, update: .modified)
            let keyed = tx.objects(FreshKeyed.self).sorted(by: \.id)
            expectEqual(keyed.map(\.id), [1, 2, 3, 4, 5])
            expectEqual(keyed.map(\.name), ["a", "b", "friend", "nested", "c"])
            expectEqual(keyed.map { $0.friend?.id }, [3, 4, nil, nil, nil])
            for wrong: Any in [[1, 2, 3, 4, 5] as [Any], 5, FreshLeaf()] {
                #expect(throws: Realm.Error.self) {
                    try tx.dynamicCreate("FreshKeyed", value: wrong)
                }
            }
        }
    }

    // Covers 5.71
    @Test func unmanagedObjectsAreAdded() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            let owner = try tx.dynamicCreate("FreshOwner", value: ["leaf": nil])
            let (leaf, other) = (FreshLeaf(value: ["text": "1"]), FreshLeaf(value: ["text": "2"]))
            owner["leaf"] = leaf
            owner["any"] = [other, other]
            expectTrue(leaf.isManaged && other.isManaged && tx.objects(FreshLeaf.self).count == 2)
            leaf.text = "changed"
            expectEqual((owner["leaf"] as? DynamicObject)?["text"] as? String, "changed")
        }
    }
}

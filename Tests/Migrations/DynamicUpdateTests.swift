import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Updates by class name, which do the same as those through the class.
@Suite struct DynamicUpdateTests {
    final class UpdatedPart: EmbeddedObject {
        @Persisted var text: String
        @Persisted var number: Int
    }

    final class UpdatedThing: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var words: List<String>
        @Persisted var marks: MutableSet<Int>
        @Persisted var counts: Map<String, Int?>
        @Persisted var part: UpdatedPart?
        @Persisted var parts: List<UpdatedPart>
        @Persisted var partsByName: Map<String, UpdatedPart?>
        @Persisted var friend: UpdatedThing?
        @Persisted var friends: List<UpdatedThing>
        @Persisted var any: AnyRealmValue
        @Persisted var anys: List<AnyRealmValue>
        @Persisted var anysByName: Map<String, AnyRealmValue>
    }

    private static let types: [ObjectBase.Type] = [UpdatedThing.self, UpdatedPart.self]

    private static func whole() -> [String: Any?] {
        [
            "id": 1, "name": "a", "words": ["x", "y", "z"], "marks": [1, 2],
            "counts": ["n": 1, "o": nil] as [String: Any?],
            "part": ["text": "p", "number": 1],
            "parts": [["text": "q", "number": 2], ["text": "r", "number": 3]],
            "partsByName": ["s": ["text": "s", "number": 4]],
            "friend": ["id": 2, "name": "b"],
            "friends": [["id": 2], ["id": 3, "name": "c"]],
            "any": ["k": 1, "l": ["m": [1, 2]]] as [String: Any],
            "anys": [1, ["k": 1], [1, 2]] as [Any],
            "anysByName": ["a": 1, "b": ["k": 1]] as [String: Any],
        ]
    }

    private static func updates() -> [[String: Any?]] {
        [
            ["id": 1, "words": ["x", "w"], "marks": [2, 3], "counts": ["o": 5, "p": 6]],
            [
                "id": 1, "part": ["number": 9], "parts": [["number": 8]],
                "partsByName": ["s": ["number": 7], "t": ["text": "t"]],
            ],
            [
                "id": 1, "friend": ["id": 3, "words": ["new"]],
                "friends": [["id": 3], ["id": 4, "friend": ["id": 2, "name": "d"]], ["id": 2]],
            ],
            [
                "id": 1, "any": ["k": 2, "l": ["n": 3]] as [String: Any],
                "anys": [1, ["l": 2]] as [Any],
                "anysByName": ["b": ["l": 2], "c": 3] as [String: Any],
            ],
            ["id": 1, "parts": [["text": "u"], ["text": "v"], ["text": "w"]], "words": nil],
            ["id": 1, "part": nil, "marks": nil, "counts": nil, "any": nil, "friend": nil],
        ]
    }

    /// The objects as JSON lines.
    private func lines(_ realm: Realm) async throws -> [String] {
        try await realm.snapshot().json().split(separator: "\n").dropFirst().map { String($0) }
            .sorted()
    }

    // Covers 5.72, 7.6, 7.7, 7.8, 7.9, 7.16
    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func updatesByNameAreThoseOfTheClass(_ policy: Realm.UpdatePolicy) async throws {
        let typed = try await Realm.temporary(Self.types)
        let dynamic = try await Realm.temporary(Self.types)
        for index in -1..<Self.updates().count {
            try await typed.write { tx in
                let value = index < 0 ? Self.whole() : Self.updates()[index]
                try tx.create(UpdatedThing.self, value: value, update: policy)
            }
            try await dynamic.write { tx in
                let value = index < 0 ? Self.whole() : Self.updates()[index]
                try tx.dynamicCreate("UpdatedThing", value: value, update: policy)
            }
            try await expectEqual(lines(dynamic), lines(typed), "update \(index)")
        }
        try await dynamic.snapshot().checkIntegrity()
    }

    // Covers 7.2, 7.4, 7.9
    @Test func modifiedWritesOnlyWhatDiffers() async throws {
        let realm = try await Realm.temporary(Self.types)
        func update(_ value: @Sendable () -> [String: Any?]) async throws -> Frozen<UpdatedThing> {
            try await realm.write { tx in
                try tx.dynamicCreate("UpdatedThing", value: value(), update: .modified)
            }
            return try requireValue(realm.snapshot().object(UpdatedThing.self, forPrimaryKey: 1))
        }
        let first = try await update { Self.whole() }
        let same = try await update { Self.whole() }
        expectEqual(same, first)
        let other = try await update { ["id": 1, "part": ["number": 5], "parts": [["number": 6]]] }
        expectTrue(other.part?.rowIdentity == first.part?.rowIdentity && other.part?.text == "p")
        expectTrue(other.part?.number == 5 && other.parts.count == 1)
        expectEqual(other.parts[0].rowIdentity, first.parts[0].rowIdentity)
        expectEqual(other.parts[0].text, "q")
    }

    // Covers 5.72
    @Test func updateOfSeveralObjectsThatFailsChangesNothing() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            try tx.dynamicCreate("UpdatedThing", value: Self.whole(), update: .all)
        }
        let before = try await lines(realm)
        try await realm.write { tx in
            for policy in [Realm.UpdatePolicy.modified, .all] {
                for wrong: [String: Any?] in [
                    ["id": 1, "friend": ["id": 2, "name": "new"], "words": [1]],
                    ["id": 1, "friends": [["id": 2, "name": "new"], ["id": "x"]]],
                    ["id": 1, "parts": [["text": "new"]], "any": UpdatedPart()],
                    ["id": 1, "counts": ["n": 2], "partsByName": ["s": ["number": "x"]]],
                ] {
                    #expect(throws: Realm.Error.self) {
                        try tx.dynamicCreate("UpdatedThing", value: wrong, update: policy)
                    }
                }
            }
        }
        try await expectEqual(lines(realm), before)
        try await realm.snapshot().checkIntegrity()
    }
}

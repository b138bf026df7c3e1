import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

private final class AnyBadge: EmbeddedObject {
    @Persisted var text: String

    convenience init(_ text: String) {
        self.init()
        self.text = text
    }
}

private final class AnyWearer: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var badge: AnyBadge?
}

private final class AnyOrphan: EmbeddedObject {
    @Persisted var text: String
}

/// Embedded objects belong to one property, so values of any type can't contain them.
/// `RefusedSourceTests` covers what the compiler detects.
@Suite struct AnyEmbeddedTests {
    private static let types: [ObjectBase.Type] = anyClasses + [AnyBadge.self, AnyWearer.self]

    /// Makes a realm with a note and a badge that has an owner.
    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            try tx.add(AnyNote(1, .int(7)))
            try tx.create(AnyWearer.self, value: ["id": 1, "badge": ["text": "worn"]])
        }
        return realm
    }

    /// Returns an embedded object as a value of any type: directly, in a list and in a dictionary.
    private func places(_ badge: Any) -> [(property: String, value: Any)] {
        [
            ("content", badge), ("content", [1, badge]), ("content", ["k": [badge]]),
            ("list", [badge]), ("list", [[badge]]), ("set", [badge]), ("map", ["k": badge]),
        ]
    }

    // Covers 1.72
    @Test(arguments: [Realm.UpdatePolicy.error, .modified, .all], [false, true])
    func embeddedObjectsAreRefusedWhereverTheyLie(
        policy: Realm.UpdatePolicy, isManaged: Bool
    ) async throws {
        let realm = try await realm()
        let version = realm.snapshot().version
        try await realm.write { tx in
            let worn = tx.objects(AnyWearer.self)[0].badge
            let badge = try requireValue(isManaged ? worn : AnyBadge("loose"))
            for (property, value) in places(badge) {
                let id = policy == .error ? 2 : 1
                let error = #expect(throws: Realm.Error.self) {
                    try tx.create(
                        AnyNote.self, value: ["id": id, property: value], update: policy)
                }
                expectTrue(error?.code == .invalidValue && error?.className == "AnyNote")
                expectEqual(error?.property, property, "\(property) of \(value)")
                expectEqual(error?.message.contains("AnyBadge"), true, "\(error as Any)")
            }
        }
        expectEqual(realm.snapshot().version, version)
        expectEqual(realm.snapshot().objects(AnyNote.self).map(\.content), [.int(7)])
    }

    @Test(arguments: [false, true], 0..<7)
    func assignmentByNameFailsTheTransaction(isManaged: Bool, place: Int) async throws {
        let realm = try await realm()
        let version = realm.snapshot().version
        let error = await realmError {
            try await realm.write { tx in
                let worn = tx.objects(AnyWearer.self)[0].badge
                let badge = try requireValue(isManaged ? worn : AnyBadge("loose"))
                let (property, value) = places(badge)[place]
                let note = try requireValue(tx.object(AnyNote.self, forPrimaryKey: 1))
                note[property] = value
            }
        }
        expectTrue(error?.code == .invalidValue && error?.className == "AnyNote")
        expectEqual(error?.message.contains("AnyBadge"), true, "\(error as Any)")
        expectEqual(realm.snapshot().version, version)
        expectEqual(realm.snapshot().objects(AnyNote.self).map(\.content), [.int(7)])
    }

    /// Instances, managed or not, and objects read by name.
    @Test(arguments: 0..<3)
    func dynamicWritesRefuseThem(kind: Int) async throws {
        let realm = try await realm()
        let version = realm.snapshot().version
        try await realm.write { tx in
            let wearer = try requireValue(tx.dynamicObject(ofType: "AnyWearer", forPrimaryKey: 1))
            let badges: [Any?] = [
                tx.objects(AnyWearer.self)[0].badge, AnyBadge("loose"), wearer["badge"],
            ]
            let badge = try requireValue(badges[kind])
            let note = try requireValue(tx.dynamicObject(ofType: "AnyNote", forPrimaryKey: 1))
            for (property, value) in places(badge) {
                let error = #expect(throws: Realm.Error.self) {
                    try note.set(value, of: property)
                }
                expectTrue(error?.code == .invalidValue && error?.className == "AnyNote")
                expectEqual(error?.property, property, "\(property) of \(value)")
                expectEqual(error?.message.contains("AnyBadge"), true, "\(error as Any)")
            }
            #expect(throws: Realm.Error.self) { try note.dynamicList("list").append(badge) }
            #expect(throws: Realm.Error.self) { try note.dynamicMap("map").set(badge, forKey: "k") }
            #expect(throws: Realm.Error.self) { try note.dynamicMutableSet("set").insert(badge) }
            try expectTrue(note.dynamicList("list").isEmpty && note.dynamicMap("map").isEmpty)
        }
        expectEqual(realm.snapshot().version, version)
        let wearer = try requireValue(realm.snapshot().object(AnyWearer.self, forPrimaryKey: 1))
        expectEqual(wearer.badge?.text, "worn")
    }

    // Covers 1.72
    @Test func embeddedClassThatNothingLeadsToIsNotStored() async throws {
        let types: [ObjectBase.Type] = Self.types + [AnyOrphan.self]
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration("test.realm", types))
        try await realm.write { tx in
            try tx.create(AnyWearer.self, value: ["id": 1, "badge": ["text": "x"]])
            _ = try tx.add(AnyNote(1))
        }
        expectEqual(realm.schema["AnyOrphan"]?.isEmbedded, true)
        await realm.close()
        // As seen by a program without any classes.
        let bare = try await Realm.open(folder.configuration("test.realm", []))
        try await bare.read { tx in
            let counts = try ["AnyWearer", "AnyNote"].map { try tx.dynamicObjects($0).count }
            expectEqual(counts, [1, 1])
            #expect(throws: Realm.Error.self) { try tx.dynamicObjects("AnyOrphan") }
        }
        await bare.close()
    }
}

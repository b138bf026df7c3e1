import Foundation
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

private enum Old {
    final class Spaniel: Object {
        @Persisted(primaryKey: true) var name: String
    }

    final class SpanielOwner: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var dog: Spaniel?
    }
}

private enum New {
    enum Color: String, PersistableEnum { case black, brown }

    final class Spaniel: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var color = Color.brown
        @Persisted var weight: Float = 2.5
        @Persisted var note: AnyRealmValue
        @Persisted var tags: List<String>
        @Persisted var words: MutableSet<String>
        @Persisted var scores: Map<String, Int>
        @Persisted var mate: Spaniel?
    }
}

private enum Newer {
    final class Spaniel: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var title: String
    }

    final class SpanielOwner: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var dog: Spaniel?
    }
}

/// Access by name to declared properties that aren't stored yet.
@Suite struct DynamicDefaultTests {
    /// Returns a realm with one object that an older program stored, as both programs open it. The
    /// older program's realm must be retained, because it is closed with its last reference.
    private func realms() async throws -> (old: Realm, new: Realm) {
        let old = try await Realm.temporary([Old.Spaniel.self])
        try await old.write { try $0.add(Old.Spaniel(value: ["name": "Rex"])) }
        return (old, try LaterProgram.core(of: old, [New.Spaniel.self]))
    }

    // Covers 5.72
    @Test func updateWithAnObjectStoresItsPropertiesThatWereNotStoredYet() async throws {
        let old = try await Realm.temporary([Old.SpanielOwner.self, Old.Spaniel.self])
        defer { withExtendedLifetime(old) {} }
        try await old.write { try $0.add(Old.SpanielOwner(value: ["id": 1])) }
        let realm = try LaterProgram.core(of: old, [Newer.SpanielOwner.self, Newer.Spaniel.self])
        try await realm.write { tx in
            let dog = Newer.Spaniel(value: ["name": "Rex", "title": "Sir"])
            try tx.dynamicCreate(
                "SpanielOwner", value: ["id": 1, "dog": dog] as [String: Any], update: .modified)
        }
        try await realm.read { tx in
            let owner = try requireValue(tx.object(Newer.SpanielOwner.self, forPrimaryKey: 1))
            expectEqual(owner.dog?.title, "Sir")
        }
    }

    // Covers 5.71
    @Test func propertiesThatAreNotStoredYetHaveTheirDefaults() async throws {
        let (old, realm) = try await realms()
        defer { withExtendedLifetime(old) {} }
        try await realm.read { tx in
            let rex = try tx.dynamicObjects("Spaniel")[0]
            expectTrue(rex["color"] as? String == "brown" && rex["weight"] as? Float == 2.5)
            try expectTrue(rex.value(of: "mate") == nil && rex.value(of: "note") == nil)
            try expectTrue(rex.dynamicList("tags").isEmpty)
            let (words, scores) = (try rex.dynamicMutableSet("words"), try rex.dynamicMap("scores"))
            expectTrue(words.map { $0 as? String } == [] && words.reversed().isEmpty)
            expectTrue(scores.keys.isEmpty && scores["a"] == nil && !scores.isInvalidated)
            let mates = try rex.linkingObjects(ofType: "Spaniel", property: "mate")
            expectTrue(mates.isEmpty)
            let typed = try requireValue(tx.object(New.Spaniel.self, forPrimaryKey: "Rex"))
            try expectTrue(typed.dynamicList("tags").isEmpty)
            let unknown = #expect(throws: Realm.Error.self) { try rex.value(of: "age") }
            expectEqual(unknown?.message.contains("no property \"age\""), true)
        }
        let error = await realmError {
            try await realm.read { tx in
                try tx.dynamicObjects("Spaniel")[0].dynamicList("tags").append("x")
            }
        }
        expectTrue(
            error?.code == .invalidInput
                && error?.message.contains("only be changed in a write") == true)
    }

    /// Positions computed from placeholders don't trap in a transaction that has failed.
    @Test func invalidPositionsInAFailedTransactionReadAsNothing() async throws {
        let (old, realm) = try await realms()
        defer { withExtendedLifetime(old) {} }
        let error = await realmError {
            try await realm.read { tx in
                let rex = try tx.dynamicObjects("Spaniel")[0]
                expectNil(rex["collar"])
                try expectTrue(tx.dynamicObjects("Spaniel")[3].isInvalidated)
                try expectNil(rex.dynamicList("tags")[3])
                try expectNil(rex.dynamicMutableSet("words")[3])
                try expectNil(rex.dynamicMap("scores")[3].value)
            }
        }
        expectEqual(error?.code, .invalidInput)
    }

    // Covers 5.71, 5.72
    @Test func theFirstChangeStoresThem() async throws {
        let changes: [@Sendable (DynamicObject) throws -> Void] = [
            { try $0.set("black", of: "color") },
            { $0["weight"] = Float(3) },
            { try $0.dynamicList("tags").append("x") },
            { try $0.set(["x"], of: "tags") },
            { try $0.dynamicMutableSet("words").insert("w") },
            { try $0.dynamicMap("scores").set(7, forKey: "a") },
            { $0["mate"] = ["name": "Ada", "color": "black"] as [String: Any] },
            { try $0.set([1, "y"] as [Any], of: "note") },
        ]
        for (index, change) in changes.enumerated() {
            let (old, realm) = try await realms()
            defer { withExtendedLifetime(old) {} }
            try await realm.write { tx in
                try change(try tx.dynamicObjects("Spaniel")[0])
            }
            try await realm.read { tx in
                let rex = try requireValue(tx.object(New.Spaniel.self, forPrimaryKey: "Rex"))
                expectTrue((rex.color == .black) == (index == 0), "change \(index)")
                expectTrue(rex.weight == (index == 1 ? 3 : 2.5))
                expectTrue(Array(rex.tags) == ([2, 3].contains(index) ? ["x"] : []))
                expectTrue(Array(rex.words) == (index == 4 ? ["w"] : []))
                expectTrue(rex.scores["a"] == (index == 5 ? 7 : nil))
                expectTrue(rex.mate?.name == (index == 6 ? "Ada" : nil))
                expectTrue(rex.mate?.color == (index == 6 ? New.Color.black : nil))
                var note: [AnyRealmValue] = []
                if case .list(let list) = rex.note { note = Array(list) }
                expectTrue(note == (index == 7 ? [.int(1), .string("y")] : []))
            }
        }
    }

    // Covers .schemaMismatch
    @Test func whatANewerProgramRenamedIsAMismatch() async throws {
        var configuration = Realm.Configuration(
            location: .inMemory(identifier: "spaniels-\(UUID())"),
            objectTypes: [Newer.Spaniel.self])
        configuration.schemaVersion = 2
        let newer = try await Realm.open(configuration)
        try await newer.write { tx in
            try tx.add(Newer.Spaniel(value: ["name": "Rex", "title": "Sir"]))
        }
        configuration.objectTypes = [New.Spaniel.self]
        configuration.schemaVersion = 1
        let older = Realm(RealmCore(newer.core.coordinator, configuration))
        let uses: [@Sendable (DynamicObject) throws -> Void] = [
            { _ = try $0.value(of: "color") }, { _ = try $0.dynamicList("tags") },
            { try $0.set("black", of: "color") },
            { _ = try $0.linkingObjects(ofType: "Spaniel", property: "mate") },
        ]
        for use in uses {
            let error = await realmError {
                try await older.read { tx in try use(try tx.dynamicObjects("Spaniel")[0]) }
            }
            expectTrue(error?.code == .schemaMismatch && error?.className == "Spaniel")
        }
        try await older.read { tx in
            let rex = try tx.dynamicObjects("Spaniel")[0]
            expectTrue(rex["name"] as? String == "Rex" && rex["title"] as? String == "Sir")
        }
    }
}

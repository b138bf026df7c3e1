import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct MapKeyTests {
    private func realm() async throws -> Realm { try await Realm.temporary(mapClasses) }

    // Covers 1.80, 12.29
    @Test(arguments: [
        ("New York.Brooklyn", "New York%2EBrooklyn"), (".", "%2E"), ("$a", "%24a"),
        ("$.", "%24%2E"),
        ("a.$b", "a%2E$b"),
        // Too few scalars to be truncated, but many bytes.
        (String(repeating: "ж", count: 60) + ".", String(repeating: "ж", count: 60) + "%2E"),
    ])
    func keyWithADotOrALeadingDollarFailsAndTellsOfPercentEncoding(
        key: String, encoded: String
    ) async throws {
        let realm = try await realm()
        try await realm.write { try $0.add(MapKeeper(1)) }
        let bodies: [@Sendable (Transaction) throws -> Void] = [
            { $0.objects(MapKeeper.self)[0].parks[key] = "x" },
            { $0.objects(MapKeeper.self)[0].parks.updateValue("x", forKey: key) },
            { $0.objects(MapKeeper.self)[0].parks.removeObject(for: key) },
            { $0.objects(MapKeeper.self)[0].parks.merge([key: "x"]) { $1 } },
            { tx in
                let new = Map<String, String>()
                new[key] = "x"
                tx.objects(MapKeeper.self)[0].parks = new
            },
            { tx in
                let keeper = MapKeeper(2)
                keeper.parks[key] = "x"
                try tx.add(keeper)
            },
            {
                _ = try $0.create(
                    MapKeeper.self, value: ["id": 3, "parks": [key: "x"]] as [String: Any])
            },
            { $0.objects(MapKeeper.self)[0]["parks"] = [key: "x"] },
        ]
        for (number, body) in bodies.enumerated() {
            let error = await realmError { try await realm.write { tx in try body(tx) } }
            expectEqual(error?.code, .invalidValue, "\(number)")
            expectTrue(error?.className == "MapKeeper" && error?.property == "parks", "\(number)")
            expectTrue(error?.message.contains("Percent-encode") ?? false, "\(number)")
            expectTrue(error?.message.contains("\"\(key)\"") ?? false, "\(number)")
            expectTrue(error?.message.contains("\"\(encoded)\"") ?? false, "\(number)")
        }
        expectEqual(realm.snapshot().objects(MapKeeper.self).count, 1)
        expectTrue(realm.snapshot().objects(MapKeeper.self)[0].parks.isEmpty)
        try await realm.write { $0.objects(MapKeeper.self)[0].parks[encoded] = "x" }
        expectEqual(realm.snapshot().objects(MapKeeper.self)[0].parks.keys, [encoded])
    }

    /// A key can be a single character of any length.
    @Test func messagesTruncateLongCharacters() async throws {
        let realm = try await realm()
        try await realm.write { try $0.add(MapKeeper(1)) }
        let marks = String(repeating: "\u{301}", count: 100_000)
        let keys = ["$" + marks, "." + marks]
        for key in keys {
            let error = await realmError {
                try await realm.write { $0.objects(MapKeeper.self)[0].parks[key] = "x" }
            }
            expectEqual(error?.code, .invalidValue)
            expectTrue(error.map { $0.message.utf8.count < 2_000 } ?? false)
        }
    }

    // Covers 1.80
    @Test func otherKeysAreTaken() async throws {
        let realm = try await realm()
        let keys = [
            "", "a$", " ", "ключ", "\0", "e\u{301}", "\u{E9}", String(repeating: "k", count: 9_000),
        ]
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            for (number, key) in keys.enumerated() { keeper.scores[key] = number }
            expectEqual(keeper.scores.count, keys.count)
            try tx.add(keeper)
        }
        let scores = realm.snapshot().objects(MapKeeper.self)[0].scores
        for (number, key) in keys.enumerated() { expectEqual(scores[key], number) }
        expectEqual(
            scores.keys.map { Array($0.utf8) },
            keys.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test func keyThatIsTooLongFailsAndNothingIsLost() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            keeper.scores["a"] = 1
            try tx.add(keeper)
        }
        let key = longText(17 << 20)
        let error = await realmError {
            try await realm.write { $0.objects(MapKeeper.self)[0].scores[key] = 1 }
        }
        expectTrue(error?.className == "MapKeeper" && error?.property == "scores")
        expectTrue(error?.message.contains("MapKeeper.scores") ?? false)
        let added = await realmError {
            try await realm.write { tx in
                let keeper = MapKeeper(2)
                keeper.scores[key] = 1
                keeper.scores["b"] = 2
                try tx.add(keeper)
            }
        }
        expectEqual(added?.property, "scores")
        expectEqual(realm.snapshot().objects(MapKeeper.self).map(\.scores.dictionary), [["a": 1]])
    }

    @Test func wrongValuesAreRefusedByName() async throws {
        let realm = try await realm()
        let values: [@Sendable () -> Any] = [
            { 5 }, { ["a": "text"] }, { ["a": nil as Int?] }, { [1: 2] }, { ["x"] },
        ]
        for value in values {
            let error = await realmError {
                try await realm.write { tx in
                    _ = try tx.create(
                        MapKeeper.self, value: ["id": 1, "scores": value()] as [String: Any])
                }
            }
            expectTrue(error?.code == .invalidValue && error?.property == "scores", "\(value())")
        }
        let deleted = await realmError {
            try await realm.write { tx in
                let pet = MapPet("x")
                try tx.add([pet])
                let keeper = MapKeeper(1)
                try tx.add(keeper)
                tx.delete(pet)
                keeper.pets["a"] = pet
            }
        }
        expectTrue(
            deleted?.code == .invalidValue && deleted?.message.contains("MapKeeper.pets") ?? false)
        let owned = await realmError {
            try await realm.write { tx in
                let keeper = MapKeeper(1)
                try tx.add(keeper)
                keeper.notes["a"] = MapNote("x")
                keeper.notes["b"] = keeper.notes["a"]
            }
        }
        expectTrue(owned?.message.contains("has one owner") ?? false)
    }

    @Test func mapThatIsStoredAsAListIsToldByClassAndProperty() async throws {
        enum Old {
            final class Thing: Object { @Persisted var items: List<Int> }
        }
        enum New {
            final class Thing: Object { @Persisted var items: Map<String, Int> }
        }
        let folder = try RealmFolder()
        let first = try await Realm.open(folder.configuration("a.realm", [Old.Thing.self]))
        try await first.write { try $0.add(Old.Thing()) }
        await first.close()
        let error = await realmError {
            try await Realm.open(folder.configuration("a.realm", [New.Thing.self]))
        }
        expectEqual(error?.code, .schemaMismatch)
        expectTrue(
            error?.message.contains(
                "Thing.items is declared as Map<String, Int>, but stored as List<Int>.") ?? false)
        let second = try await Realm.open(folder.configuration("b.realm", [New.Thing.self]))
        try await second.write { try $0.add(New.Thing()) }
        await second.close()
        let back = await realmError {
            try await Realm.open(folder.configuration("b.realm", [Old.Thing.self]))
        }
        expectTrue(
            back?.message.contains(
                "Thing.items is declared as List<Int>, but stored as Map<String, Int>.") ?? false)
        let same = try await Realm.open(folder.configuration("b.realm", [New.Thing.self]))
        expectEqual(same.snapshot().objects(New.Thing.self).count, 1)
        await same.close()
    }
}

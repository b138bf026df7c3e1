import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct MapQueryTests {
    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary(mapClasses)
        try await realm.write { tx in
            for (id, scores) in [["a": 1], ["a": 2, "b": 5], [:], ["b": 1, "c": 9]].enumerated() {
                let keeper = MapKeeper(id)
                for (key, value) in scores {
                    keeper.scores[key] = value
                    keeper.nicknames[key] = .some(value == 1 ? nil : "Nick \(value)")
                    keeper.pets[key] =
                        tx.object(MapPet.self, forPrimaryKey: "\(value)")
                        ?? MapPet("\(value)", value)
                    keeper.grades[key] = value == 1 ? .good : .bad
                }
                try tx.add(keeper)
            }
        }
        return realm
    }

    private func ids(
        _ realm: Realm, _ condition: (Query<MapKeeper>) -> Query<Bool>
    ) -> [Int] {
        realm.snapshot().objects(MapKeeper.self).where(condition).map(\.id)
    }

    // Covers 3.22, 3.23, 3.25
    @Test func keysAndValuesAreAskedForOneOfThem() async throws {
        let realm = try await realm()
        expectEqual(ids(realm) { $0.scores.keys == "b" }, [1, 3])
        expectEqual(ids(realm) { $0.scores.keys.starts(with: "c") }, [3])
        expectEqual(ids(realm) { $0.scores.keys.in(["a", "c"]) }, [0, 1, 3])
        expectEqual(ids(realm) { $0.scores.values > 4 }, [1, 3])
        expectEqual(ids(realm) { $0.scores.contains(1) }, [0, 3])
        expectEqual(ids(realm) { $0.scores.containsAny(in: [2, 9]) }, [1, 3])
        expectEqual(ids(realm) { !($0.scores.values > 4) }, [0, 2])
        expectEqual(ids(realm) { $0.nicknames.values == nil }, [0, 3])
        expectEqual(ids(realm) { $0.grades.values == .bad }, [1, 3])
        expectEqual(ids(realm) { $0.pets.objects().age > 4 }, [1, 3])
    }

    // Covers 3.25
    @Test func countAndAggregatesAreOverTheValues() async throws {
        let realm = try await realm()
        expectEqual(ids(realm) { $0.scores.count == 2 }, [1, 3])
        expectEqual(ids(realm) { $0.scores.count == 0 }, [2])
        expectEqual(ids(realm) { $0.scores.sum > 6 }, [1, 3])
        expectEqual(ids(realm) { $0.scores.min == 1 }, [0, 3])
        expectEqual(ids(realm) { $0.scores.max < 6 }, [0, 1])
        expectEqual(ids(realm) { $0.scores.avg == 3.5 }, [1])
        expectEqual(ids(realm) { $0.scores.contains(1...5) }, [0, 1])
        expectEqual(ids(realm) { $0.scores.contains(1..<5) }, [0])
    }

    // Covers 3.24
    @Test func valueOfAKeyIsNilWhereThereIsNone() async throws {
        let realm = try await realm()
        expectEqual(ids(realm) { $0.scores["a"] == 1 }, [0])
        expectEqual(ids(realm) { $0.scores["b"] == 1 }, [3])
        expectEqual(ids(realm) { $0.scores["a"] != 1 }, [1, 2, 3])
        expectEqual(ids(realm) { $0.scores["b"] > 1 }, [1])
        expectEqual(ids(realm) { !($0.scores["b"] > 1) }, [0, 2, 3])
        expectEqual(ids(realm) { $0.scores["b"].in([1, 5]) }, [1, 3])
        expectEqual(ids(realm) { $0.scores["b"].contains(2...5) }, [1])
        expectEqual(ids(realm) { $0.nicknames["b"] == nil }, [0, 2, 3])
        expectEqual(ids(realm) { $0.nicknames["b"] != nil }, [1])
        expectEqual(ids(realm) { $0.nicknames["b"].starts(with: "Nick") }, [1])
        expectEqual(
            ids(realm) { $0.nicknames["b"].equals("NICK 5", options: .caseInsensitive) }, [1])
        expectEqual(ids(realm) { $0.grades["a"] == .bad }, [1])
        expectEqual(ids(realm) { $0.scores["a"] == 2 && $0.scores["b"] == 5 }, [1])
        expectEqual(ids(realm) { $0.scores["none"] == 1 }, [])
    }

    // Covers 3.15, 3.16, 3.25
    @Test func objectsAreFoundAmongTheValues() async throws {
        let realm = try await realm()
        let frozen = realm.snapshot()
        let nine = try requireValue(frozen.object(MapPet.self, forPrimaryKey: "9"))
        let two = try requireValue(frozen.object(MapPet.self, forPrimaryKey: "2"))
        expectEqual(ids(realm) { $0.pets.contains(nine) }, [3])
        expectEqual(ids(realm) { $0.pets.containsAny(in: [nine, two]) }, [1, 3])
        expectEqual(ids(realm) { !$0.pets.contains(two) }, [0, 2, 3])
        try await realm.write { tx in
            func ids(_ condition: (Query<MapKeeper>) -> Query<Bool>) -> [Int] {
                tx.objects(MapKeeper.self).where(condition).map(\.id)
            }
            let one = try requireValue(tx.object(MapPet.self, forPrimaryKey: "1"))
            let two = try requireValue(tx.object(MapPet.self, forPrimaryKey: "2"))
            expectEqual(ids { $0.pets.contains(one) }, [0, 3])
            expectEqual(ids { $0.pets.containsAny(in: [one, two]) }, [0, 1, 3])
            expectEqual(ids { $0.pets.contains(MapPet("x", 1)) }, [])
            expectEqual(ids { $0.pets.contains(nil) }, [])
            tx.delete(two)
            expectEqual(ids { $0.pets.contains(nil) }, [1])
        }
    }

    /// It concerns the map, not each of its entries, which are what a subquery counts.
    // Covers 3.33, .invalidQuery
    @Test func valueForAKeyIsNotATermOfASubquery() async throws {
        let realm = try await realm()
        expectEqual(ids(realm) { ($0.scores.keys == "b" && $0.scores.values > 4).count == 1 }, [1])
        let conditions: [@Sendable (Query<MapKeeper>) -> Query<Bool>] = [
            { ($0.scores["b"] == 5).count > 0 }, { ($0.scores["b"] != 5).count > 0 },
            { (!($0.scores["b"] == 5)).count > 0 },
            { ($0.scores.values > 4 && $0.scores["b"] == 5).count > 0 },
        ]
        for condition in conditions {
            let error = await realmError {
                try realm.snapshot().read { _ = $0.objects(MapKeeper.self).where(condition).count }
            }
            expectEqual(error?.code, .invalidQuery)
        }
    }

    // Covers 2.92
    @Test func sumThatDoesNotFitFailsTheTransaction() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let pets = tx.objects(MapKeeper.self)[3].pets
            expectTrue(pets.sum(of: \MapPet.age) == 10 && pets.average(of: \MapPet.age) == 5)
            expectTrue(pets.min(of: \MapPet.age) == 1 && pets.max(of: \MapPet.age) == 9)
        }
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let pets = tx.objects(MapKeeper.self)[3].pets
                pets["b"]??.age = .max
                _ = pets.sum(of: \MapPet.age)
            }
        }
        expectEqual(error?.code, .invalidQuery)
    }

    // Covers 3.31
    @Test func enumsAreAskedByTheirRawValues() async throws {
        let realm = try await realm()
        expectEqual(ids(realm) { $0.grades.rawValue.values == MapGrade.bad.rawValue }, [1, 3])
        expectEqual(
            ids(realm) { $0.grades.rawValue.keys == "b" && $0.grades.rawValue.count == 2 }, [1, 3])
        expectEqual(ids(realm) { $0.grades["a"].rawValue == MapGrade.good.rawValue }, [0])
    }

    @Test func streamsOfSuchQueriesFollowTheMap() async throws {
        let realm = try await realm()
        var stream = realm.objects(MapKeeper.self).where { $0.scores["b"] == 5 }.changes
            .makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else {
            Issue.record("no initial result")
            return
        }
        expectEqual(first.map(\.id), [1])
        try await realm.write { tx in
            tx.object(MapKeeper.self, forPrimaryKey: 1)?.scores["b"] = 6
            tx.object(MapKeeper.self, forPrimaryKey: 3)?.scores["b"] = 5
            tx.object(MapKeeper.self, forPrimaryKey: 2)?.scores["b"] = 5
        }
        guard case .update(let second, _)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(second.map(\.id), [2, 3])
    }
}

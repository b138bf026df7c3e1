import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Streams that begin before anything of their classes is stored wait for the same commits as later
/// ones. In memory, where no commit can be read again, each commit is reported.
@Suite struct ObservationStartTests {
    /// Returns the number of elements that a stream delivers for commits, after the first.
    private func count<S: AsyncSequence<Element, Realm.Error>, Element>(
        _ name: String, of stream: (Realm) -> S, _ classes: [ObjectBase.Type],
        _ commits: [@Sendable (Transaction) throws -> Void]
    ) async throws -> String {
        let realm = try await Realm.temporary(classes)
        var iterator = stream(realm).makeAsyncIterator()
        _ = try await iterator.next(isolation: #isolation)
        for commit in commits { try await realm.write { try commit($0) } }
        // What was committed before is still delivered.
        await realm.close()
        var count = 0
        do {
            while try await iterator.next(isolation: #isolation) != nil { count += 1 }
        } catch {
            return "\(name): \(error)"
        }
        return "\(name): \(count)"
    }

    // Covers O29
    @Test func everyCommitOfSetsIsTold() async throws {
        let commits: [@Sendable (Transaction) throws -> Void] = [
            { tx in
                let basket = Basket("a")
                basket.numbers.insert(1)
                basket.fruits.insert(Fruit(1))
                try tx.add(basket)
            },
            { tx in
                let basket = tx.objects(Basket.self)[0]
                basket.numbers.insert(2)
                basket.fruits.insert(Fruit(2))
                basket.fruits[0].weight = 3
            },
            { tx in
                let basket = tx.objects(Basket.self)[0]
                basket.numbers.remove(1)
                basket.fruits.remove(basket.fruits[0])
                basket.fruits[0].weight = 3
            },
        ]
        let classes = setClasses
        func live(_ realm: Realm) -> Live<Basket> {
            realm.object(Basket.self, forPrimaryKey: "a")
        }
        func fruit(_ realm: Realm) -> Live<Fruit> { realm.object(Fruit.self, forPrimaryKey: 2) }
        let policy = ChangePolicy.everyCommit
        var counts: [String] = []
        counts.append(
            try await count(
                "class", of: { $0.objects(Basket.self).changes(policy: policy) }, classes, commits))
        counts.append(
            try await count(
                "object", of: { live($0).changes(policy: policy) }, classes, commits))
        counts.append(
            try await count(
                "numbers", of: { live($0).numbers.changes(policy: policy) }, classes, commits))
        counts.append(
            try await count(
                "fruits", of: { live($0).fruits.changes(policy: policy) }, classes, commits))
        expectEqual(counts, ["class: 3", "object: 3", "numbers: 3", "fruits: 3"])
        // The second fruit is created by the second commit.
        let inverse = try await count(
            "inverse", of: { fruit($0).baskets.changes(policy: policy) }, classes,
            commits + [{ tx in tx.objects(Basket.self)[0].note = "n" }])
        expectEqual(inverse, "inverse: 3")
    }

    // Covers O29
    @Test func everyCommitOfMapsIsTold() async throws {
        let commits: [@Sendable (Transaction) throws -> Void] = [
            { tx in
                let keeper = MapKeeper(1)
                keeper.scores["a"] = 1
                keeper.pets["rex"] = MapPet("Rex")
                try tx.add(keeper)
            },
            { tx in
                let keeper = tx.objects(MapKeeper.self)[0]
                keeper.scores["b"] = 1
                tx.objects(MapPet.self)[0].age = 2
            },
            { tx in
                let keeper = tx.objects(MapKeeper.self)[0]
                keeper.scores["a"] = 2
                keeper.pets["max"] = MapPet("Max")
            },
        ]
        func live(_ realm: Realm) -> Live<MapKeeper> {
            realm.object(MapKeeper.self, forPrimaryKey: 1)
        }
        let policy = ChangePolicy.everyCommit
        var counts: [String] = []
        counts.append(
            try await count(
                "class", of: { $0.objects(MapKeeper.self).changes(policy: policy) }, mapClasses,
                commits))
        counts.append(
            try await count(
                "scores", of: { live($0).scores.changes(policy: policy) }, mapClasses, commits))
        counts.append(
            try await count(
                "pets", of: { live($0).pets.changes(policy: policy) }, mapClasses, commits))
        counts.append(
            try await count(
                "pets by age", of: { live($0).pets.changes(keyPaths: [\.age], policy: policy) },
                mapClasses, commits))
        counts.append(
            try await count(
                "pets where", of: { live($0).pets.where { $0.age >= 0 }.changes(policy: policy) },
                mapClasses, commits))
        expectEqual(
            counts, ["class: 3", "scores: 3", "pets: 3", "pets by age: 3", "pets where: 3"])
    }

    /// The classes are stored already, so that only the owner is missing.
    // Covers O29
    @Test func everyCommitOfAMapWhoseOwnerIsMissingIsTold() async throws {
        let realm = try await Realm.temporary(mapClasses)
        try await realm.write { tx in
            let other = MapKeeper(2)
            other.pets["rex"] = MapPet("Rex")
            try tx.add(other)
        }
        let pets = realm.object(MapKeeper.self, forPrimaryKey: 1).pets.where { $0.age >= 0 }
        var changes = pets.changes(policy: .everyCommit).makeAsyncIterator()
        _ = try await changes.next(isolation: #isolation)
        try await realm.write { tx in
            let keeper = MapKeeper(1)
            keeper.pets["max"] = MapPet("Max")
            try tx.add(keeper)
        }
        try await realm.write { tx in
            let keepers = tx.objects(MapKeeper.self)
            keepers[1].pets["max"] = keepers[0].pets["rex"]
        }
        await realm.close()
        guard case .update(_, let first) = try await changes.next(isolation: #isolation),
            case .update(_, let second) = try await changes.next(isolation: #isolation)
        else {
            Issue.record("A commit is missing.")
            return
        }
        expectTrue(first.insertions == [0])
        expectTrue(second.insertions == [0] && second.deletions == [0])
        let end = try await changes.next(isolation: #isolation)
        expectNil(end)
    }

    // Covers O29
    @Test func everyCommitOfValuesOfAnyTypeIsTold() async throws {
        let commits: [@Sendable (Transaction) throws -> Void] = [
            { tx in
                let note = AnyNote(1, .fromArray([.int(1), .fromArray([.int(2)])]))
                note.list.append(.fromArray([.int(1)]))
                note.set.insert(.int(1))
                note.map["a"] = .fromArray([.int(1)])
                try tx.add(note)
            },
            { tx in
                let note = tx.objects(AnyNote.self)[0]
                note.content.listValue?[1].listValue?.append(.int(3))
                note.list[0].listValue?.append(.int(2))
                note.set.insert(.int(2))
                note.map["a"]?.listValue?.append(.int(3))
            },
            { tx in
                let note = tx.objects(AnyNote.self)[0]
                note.content.listValue?[1].listValue?[0] = .int(4)
                note.list[0].listValue?[0] = .int(5)
                note.set.remove(.int(1))
                note.map["a"]?.listValue?[0] = .int(6)
            },
        ]
        func live(_ realm: Realm) -> Live<AnyNote> {
            realm.object(AnyNote.self, forPrimaryKey: 1)
        }
        let policy = ChangePolicy.everyCommit
        let classes = anyClasses
        var counts: [String] = []
        counts.append(
            try await count(
                "class", of: { $0.objects(AnyNote.self).changes(policy: policy) }, classes, commits)
        )
        counts.append(
            try await count(
                "content", of: { live($0).content.changes(policy: policy) }, classes, commits))
        counts.append(
            try await count(
                "within", of: { live($0).content.at(1).changes(policy: policy) }, classes, commits))
        counts.append(
            try await count(
                "list", of: { live($0).list.changes(policy: policy) }, classes, commits))
        counts.append(
            try await count(
                "within list", of: { live($0).list.at(0).changes(policy: policy) }, classes, commits
            ))
        counts.append(
            try await count("set", of: { live($0).set.changes(policy: policy) }, classes, commits))
        counts.append(
            try await count("map", of: { live($0).map.changes(policy: policy) }, classes, commits))
        counts.append(
            try await count(
                "within map", of: { live($0).map.at("a").changes(policy: policy) }, classes, commits
            ))
        expectEqual(
            counts,
            [
                "class: 3", "content: 3", "within: 3", "list: 3", "within list: 3", "set: 3",
                "map: 3", "within map: 3",
            ])
    }

    @Test func everyCommitOfValuesThatAreEmbeddedObjectsIsTold() async throws {
        let commits: [@Sendable (Transaction) throws -> Void] = [
            { tx in
                let run = StartRun()
                run.traces.append(StartTrace(name: "a"))
                try tx.add(run)
            },
            { $0.objects(StartRun.self)[0].traces.append(StartTrace(name: "b")) },
            { $0.objects(StartRun.self)[0].traces.remove(at: 0) },
        ]
        let counts = try await count(
            "traces",
            of: {
                $0.object(StartRun.self, forPrimaryKey: 0).traces.changes(policy: .everyCommit)
            }, [StartRun.self, StartSpot.self], commits)
        expectEqual(counts, "traces: 3")
    }
}

/// Stored as an embedded object with a list of values.
struct StartTrace: CustomPersistable, Hashable, Sendable {
    typealias PersistedType = StartSpot

    var name: String

    init(name: String) { self.name = name }

    init(persistedValue: StartSpot) { name = persistedValue.name }

    var persistableValue: StartSpot {
        let spot = StartSpot()
        spot.name = name
        return spot
    }
}

final class StartSpot: EmbeddedObject {
    @Persisted var name: String
    @Persisted var hours: List<Int>
}

final class StartRun: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var traces: List<StartTrace>
}

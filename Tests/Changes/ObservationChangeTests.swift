import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The change sets in individual cases; `StreamTests` compares whole histories with a model.
@Suite struct ObservationChangeTests {
    private func people(_ ages: [Int]) async throws -> Realm {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            for (number, age) in ages.enumerated() { try tx.add(Person("p\(number)", age: age)) }
        }
        return realm
    }

    // Covers 4.7, O12
    @Test func commitsOfOneElementAreTheirNet() async throws {
        let realm = try await people([1, 2, 3])
        var stream = realm.objects(Person.self).changes.makeAsyncIterator()
        _ = try await nextInitial(&stream)
        try await realm.write { tx in
            tx.objects(Person.self)[1].age = 20
            try tx.add([Person("new", age: 4), Person("short-lived", age: 5)])
        }
        try await realm.write { tx in
            tx.objects(Person.self)[3].age = 40
            tx.delete(tx.objects(Person.self)[4])
            tx.delete(tx.objects(Person.self)[1])
        }
        let (people, delta) = try await nextUpdate(&stream)
        expectEqual(people.map(\.name), ["p0", "p2", "new"])
        expectTrue(delta.deletions == [1] && delta.insertions == [2] && delta.modifications == [])
        // As of when it was delivered, not when it was deleted.
        expectTrue(delta.deleted.map(\.age) == [2] && delta.inserted.map(\.age) == [40])
    }

    // Covers 4.24, O9, O11
    @Test func positionsTurnTheOldCollectionIntoTheNew() async throws {
        let realm = try await people([50, 10, 40, 20, 30])
        var stream = realm.objects(Person.self).sorted(by: \.age).changes.makeAsyncIterator()
        let old = try await nextInitial(&stream)
        try await realm.write { tx in
            tx.objects(Person.self)[0].age = 5
            tx.objects(Person.self)[2].limit = 1
            tx.delete(tx.objects(Person.self)[4])
            try tx.add([Person("p5", age: 60), Person("p6", age: 15)])
        }
        let (new, delta) = try await nextUpdate(&stream)
        var names = old.map(\.name)
        for position in delta.deletions.reversed() { names.remove(at: position) }
        for position in delta.insertions { names.insert(new[position].name, at: position) }
        expectEqual(names, new.map(\.name))
        expectEqual(delta.deletions, delta.deletions.sorted())
        expectEqual(delta.insertions, delta.insertions.sorted())
        expectEqual(delta.modifications.map { old[$0].name }, ["p2"])
        expectEqual(delta.newModifications.map { new[$0].name }, ["p2"])
        let identities = old.map(\.rowIdentity)
        expectEqual(identities.applying(delta.difference.mapped()), new.map(\.rowIdentity))
    }

    // Covers O14
    @Test func ofThoseThatChangedTheLowestPositionsStay() async throws {
        let realm = try await people([10, 20, 30, 40])
        var stream = realm.objects(Person.self).sorted(by: \.age).changes.makeAsyncIterator()
        _ = try await nextInitial(&stream)
        // It stays between its neighbors.
        try await realm.write { $0.objects(Person.self)[1].age = 25 }
        let (_, stayed) = try await nextUpdate(&stream)
        expectTrue(stayed.deletions == [] && stayed.insertions == [] && stayed.modifications == [1])
        // Two swap places: the first one stays, the other one moves.
        try await realm.write { tx in
            tx.objects(Person.self)[1].age = 30
            tx.objects(Person.self)[2].age = 25
        }
        let (swapped, swap) = try await nextUpdate(&stream)
        expectEqual(swapped.map(\.name), ["p0", "p2", "p1", "p3"])
        expectTrue(swap.deletions == [2] && swap.insertions == [1])
        expectTrue(swap.modifications == [1] && swap.newModifications == [2])
        // One passes two that weren't changed: these stay.
        try await realm.write { $0.objects(Person.self)[0].age = 35 }
        let (_, passed) = try await nextUpdate(&stream)
        expectTrue(passed.deletions == [0] && passed.insertions == [2])
        expectEqual(passed.modifications, [])
    }

    /// Makes a kiosk with the papers a, b and a again.
    private func kiosk() async throws -> Realm {
        let realm = try await Realm.temporary([Kiosk.self, Paper.self])
        try await realm.write { tx in
            let kiosk = Kiosk("north", papers: ["a", "b"])
            try tx.add(kiosk)
            kiosk.papers.append(kiosk.papers[0])
        }
        return realm
    }

    /// Returns the change of its list of papers caused by a transaction.
    private func delta(
        _ change: @escaping @Sendable (Transaction, List<Paper>) throws -> Void
    ) async throws -> ChangeSet<Paper> {
        let realm = try await kiosk()
        let papers = realm.object(Kiosk.self, forPrimaryKey: "north").papers
        var stream = papers.changes.makeAsyncIterator()
        try await expectEqual(nextInitial(&stream).map(\.title), ["a", "b", "a"])
        try await realm.write { tx in
            guard let list = tx.object(Kiosk.self, forPrimaryKey: "north")?.papers else { return }
            try change(tx, list)
        }
        return try await nextUpdate(&stream).1
    }

    // Covers 4.30, 4.33, O15
    @Test func elementThatStandsSeveralTimesIsToldAtEachPlace() async throws {
        let modified = try await delta { _, list in list[0].pages = 9 }
        expectTrue(modified.modifications == [0, 2] && modified.newModifications == [0, 2])
        expectTrue(modified.deletions == [] && modified.insertions == [])
        let deleted = try await delta { tx, list in tx.delete(list[0]) }
        expectTrue(deleted.deletions == [0, 2] && deleted.insertions == [])
        expectEqual(deleted.deleted.map(\.title), ["a", "a"])
    }

    // Covers 4.7, 4.32, O15
    @Test func listChangesAsItIsSpliced() async throws {
        let put = try await delta { _, list in
            let paper = list[1]
            list.remove(at: 1)
            list.insert(paper, at: 1)
        }
        expectTrue(put.deletions == [1] && put.insertions == [1] && put.modifications == [])
        let moved = try await delta { _, list in list.move(from: 0, to: 1) }
        expectTrue(moved.deletions == [0] && moved.insertions == [1] && moved.modifications == [])
        let filled = try await delta { _, list in
            let papers = Array(list)
            list.removeAll()
            list.append(objectsIn: papers)
        }
        expectTrue(filled.deletions == [0, 1, 2] && filled.insertions == [0, 1, 2])
    }

    // Covers 4.34
    @Test func whatAQueryOfAListDoesNotShowIsNotTold() async throws {
        let realm = try await Realm.temporary([Kiosk.self, Paper.self])
        try await realm.write { tx in
            try tx.add(Kiosk("north", papers: ["long", "b", "longer", "a"]))
        }
        let papers = realm.object(Kiosk.self, forPrimaryKey: "north").papers
        var short = papers.where { $0.pages < 2 }.changes.makeAsyncIterator()
        var sorted = papers.sorted(by: \.title).changes.makeAsyncIterator()
        try await expectEqual(nextInitial(&short).map(\.title), ["b", "a"])
        try await expectEqual(nextInitial(&sorted).map(\.title), ["a", "b", "long", "longer"])
        // Two that don't match the condition swap places.
        try await realm.write { $0.objects(Kiosk.self)[0].papers.swapAt(0, 2) }
        try await realm.write(origin: "mark") { tx in
            tx.objects(Kiosk.self)[0].papers.append(Paper("c"))
        }
        let (few, delta) = try await nextUpdate(&short)
        expectEqual(few.map(\.title), ["b", "a", "c"])
        expectTrue(delta.deletions == [] && delta.insertions == [2] && delta.modifications == [])
        let (all, change) = try await nextUpdate(&sorted)
        expectEqual(all.map(\.title), ["a", "b", "c", "long", "longer"])
        expectTrue(change.deletions == [] && change.insertions == [2] && change.modifications == [])
    }

    // Covers 4.35, O16
    @Test func ofDistinctObjectsAnotherSurvivorIsADeletionAndAnInsertion() async throws {
        let realm = try await people([1, 2, 1])
        let ages = realm.objects(Person.self).sorted(by: \.name).distinct(by: \.age)
        var stream = ages.changes.makeAsyncIterator()
        try await expectEqual(nextInitial(&stream).map(\.name), ["p0", "p1"])
        try await realm.write { $0.objects(Person.self)[0].name = "p9" }
        let (people, delta) = try await nextUpdate(&stream)
        expectEqual(people.map(\.name), ["p1", "p2"])
        expectTrue(delta.deletions == [0] && delta.insertions == [1] && delta.modifications == [])
    }

    // Covers O17
    @Test func equalValuesOfAnUpsertAreNoChange() async throws {
        let realm = try await Realm.temporary([Room.self])
        try await realm.write { try $0.add([Room("a", topic: "x"), Room("b", topic: "x")]) }
        var stream = realm.objects(Room.self).changes.makeAsyncIterator()
        var object = realm.object(Room.self, forPrimaryKey: "a").changes.makeAsyncIterator()
        _ = try await nextInitial(&stream)
        _ = try await object.next()
        try await realm.write { tx in
            try tx.add(Room("a", topic: "x"), update: .modified)
            try tx.add(Room("b", topic: "y"), update: .modified)
        }
        let (_, delta) = try await nextUpdate(&stream)
        expectTrue(delta.modifications == [1] && delta.modified[0].properties == ["topic"])
        // `.all` sets them.
        try await realm.write { try $0.add(Room("a", topic: "x"), update: .all) }
        try await expectEqual(nextUpdate(&stream).1.modifications, [0])
        guard case .changed(_, _, let properties)? = try await object.next() else {
            Issue.record("no change")
            return
        }
        expectTrue(properties.contains("topic"))
    }

    // Covers O26
    @Test func valueThatIsSetAtItsPlaceIsAModification() async throws {
        let realm = try await Realm.temporary([Kiosk.self, Paper.self])
        try await realm.write { tx in
            let kiosk = Kiosk("north", papers: [])
            kiosk.tags.append(objectsIn: ["a", "b", "a"])
            try tx.add(kiosk)
        }
        let tags = realm.object(Kiosk.self, forPrimaryKey: "north").tags
        var stream = tags.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in
            let tags = tx.objects(Kiosk.self)[0].tags
            tags[0] = "a"
            tags[1] = "c"
        }
        guard case .update(let values, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(values.array == ["a", "c", "a"] && delta.modifications == [0, 1])
        expectTrue(delta.deletions == [] && delta.insertions == [])
        expectEqual(delta.modified.map(\.old), ["a", "b"])
    }
}

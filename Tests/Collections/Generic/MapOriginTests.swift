import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Maps from the perspective of their objects: inverses, queries over one map, key paths.
@Suite struct MapOriginTests {
    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary(genericClasses)
        try await realm.write { tx in
            let (rex, max) = (GenericPet("Rex", 3), GenericPet("Max", 5))
            try tx.add([rex, max, GenericPet("Tom", 7)])
            for (name, roles) in [
                ("Ann", ["guard": rex, "cook": rex, "clown": max]), ("Bob", ["guard": rex]),
                ("Cem", [:]),
            ] {
                let owner = GenericOwner(name)
                for (role, pet) in roles { owner.byRole[role] = pet }
                owner.byRole["nobody"] = .some(nil)
                owner.parts["p"] = GenericPart("of \(name)")
                try tx.add(owner)
            }
        }
        return realm
    }

    // Covers 1.50, 2.101
    @Test func inverseHasAnOwnerForEachKey() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let rex = try requireValue(tx.object(GenericPet.self, forPrimaryKey: "Rex"))
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            expectEqual(rex.employers.map(\.name), ["Ann", "Ann", "Bob"])
            expectTrue(
                rex.employers.count == 3 && rex.employers.where { $0.name == "Ann" }.count == 2)
            ann.byRole["cook"] = nil
            expectEqual(rex.employers.map(\.name), ["Ann", "Bob"])
            ann.byRole["guard"] = tx.object(GenericPet.self, forPrimaryKey: "Tom")
            expectEqual(rex.employers.map(\.name), ["Bob"])
            expectTrue(rex.employers.where { $0.name == "Ann" }.isEmpty)
            tx.object(GenericOwner.self, forPrimaryKey: "Cem")?.byRole["x"] = rex
            expectEqual(
                rex.employers.sorted(by: \.name, ascending: false).map(\.name), ["Cem", "Bob"])
            tx.delete(tx.objects(GenericOwner.self).where { $0.name == "Bob" })
            expectTrue(rex.employers.map(\.name) == ["Cem"] && GenericPet("new").employers.isEmpty)
        }
        let rex = try requireValue(realm.snapshot().object(GenericPet.self, forPrimaryKey: "Rex"))
        expectEqual(rex.employers.map(\.name), ["Cem"])
    }

    @Test func queriesLeadToTheOwnersOfMaps() async throws {
        let realm = try await realm()
        func names(_ condition: (Query<GenericPet>) -> Query<Bool>) -> [String] {
            realm.snapshot().objects(GenericPet.self).where(condition).map(\.name)
        }
        expectEqual(names { $0.employers.name == "Ann" }, ["Rex", "Max"])
        expectEqual(names { $0.employers.any { $0.name == "Bob" } }, ["Rex"])
        expectEqual(names { $0.employers.all { $0.name == "Ann" } }, ["Max", "Tom"])
        expectEqual(names { $0.employers.none { $0.name == "Bob" } }, ["Max", "Tom"])
        expectEqual(names { $0.employers.count == 0 }, ["Tom"])
        expectEqual(names { $0.employers.byRole.objects().age > 3 }, ["Rex", "Max"])
    }

    // Covers 2.92, 3.1
    @Test func objectsOfOneMapAreQueried() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let ann = try requireValue(tx.object(GenericOwner.self, forPrimaryKey: "Ann"))
            let pets = ann.byRole.where { $0.age > 2 }
            expectTrue(pets.map(\.name) == ["Max", "Rex", "Rex"] && pets.count == 3)
            expectEqual(ann.byRole.where { $0.age > 3 }.map(\.name), ["Max"])
            ann.byRole["more"] = tx.object(GenericPet.self, forPrimaryKey: "Tom")
            ann.byRole["clown"] = nil
            expectEqual(
                pets.sorted(by: \.age, ascending: false).map(\.name), ["Tom", "Rex", "Rex"])
            expectTrue(pets.sum(of: \.age) == 13 && pets.first?.name == "Rex" && pets.count == 3)
            // It is live, so it follows the map.
            ann.byRole["again"] = tx.object(GenericPet.self, forPrimaryKey: "Tom")
            expectEqual(pets.map(\.name), ["Tom", "Rex", "Rex", "Tom"])
            expectEqual(pets.distinct(by: \.age).count, 2)
            ann.byRole["again"] = nil
            expectEqual(ann.parts.where { $0.label.starts(with: "of") }.map(\.label), ["of Ann"])
        }
        let ann = try requireValue(realm.snapshot().object(GenericOwner.self, forPrimaryKey: "Ann"))
        expectEqual(ann.byRole.where { $0.age < 5 }.map(\.name), ["Rex", "Rex"])
        expectTrue(realm.object(GenericOwner.self, forPrimaryKey: "Zoe").byRole.current.isEmpty)
        let none = realm.object(GenericOwner.self, forPrimaryKey: "Zoe").byRole.current
        expectTrue(none.where { $0.age > 0 }.isEmpty)
    }

    /// Returns the modified positions or keys that streams report for one write.
    private func reported(
        _ realm: Realm, _ stream: inout CollectionChanges<GenericOwner>.AsyncIterator,
        _ body: sending (Transaction) throws -> Void
    ) async throws -> [Int] {
        try await realm.write { tx in try body(tx) }
        try await realm.write { tx in try tx.add(GenericOwner("\(UUID())")) }
        let version = realm.snapshot().version
        var reported: [Int] = []
        while case .update(_, let delta)? = try await stream.next(isolation: #isolation) {
            reported += delta.modifications
            if delta.version >= version { break }
        }
        return reported
    }

    // Covers 4.14
    @Test func keyPathsLeadThroughMaps() async throws {
        let realm = try await realm()
        var stream = try realm.objects(GenericOwner.self)
            .changes(keyPaths: ["byRole.age", "parts.label"]).makeAsyncIterator()
        _ = try await stream.next()
        let pet = GenericPet.self
        try await expectEqual(
            reported(realm, &stream) { $0.object(pet, forPrimaryKey: "Rex")?.age = 9 }, [0, 1])
        try await expectTrue(
            reported(realm, &stream) { $0.object(pet, forPrimaryKey: "Rex")?.weight = 9 }
                .isEmpty)
        try await expectEqual(
            reported(realm, &stream) { $0.object(pet, forPrimaryKey: "Max")?.age = 9 }, [0])
        try await expectEqual(
            reported(realm, &stream) {
                $0.object(GenericOwner.self, forPrimaryKey: "Cem")?.byRole["a"] = .some(nil)
            }, [2])
        try await expectEqual(
            reported(realm, &stream) {
                $0.object(GenericOwner.self, forPrimaryKey: "Cem")?.parts["p"]??.label = "new"
            }, [2])
    }

    // Covers 4.44
    @Test func keyPathsOfAMapAreThoseOfItsObjects() async throws {
        let realm = try await realm()
        let map = realm.object(GenericOwner.self, forPrimaryKey: "Ann").byRole
        var ages = map.changes(keyPaths: [\.age]).makeAsyncIterator()
        var owners = try map.changes(keyPaths: ["employers.name"]).makeAsyncIterator()
        _ = try await (ages.next(), owners.next())
        let version = try await { () async throws -> UInt64 in
            try await realm.write { tx in
                tx.object(GenericPet.self, forPrimaryKey: "Max")?.weight = 1
                tx.object(GenericPet.self, forPrimaryKey: "Rex")?.age = 1
            }
            return realm.snapshot().version
        }()
        guard case .update(_, let delta)? = try await ages.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(delta.modifications == ["cook", "guard"] && delta.version == version)
        try await realm.write { tx in
            tx.object(GenericOwner.self, forPrimaryKey: "Ann")?.byRole["clown"] =
                tx.object(GenericPet.self, forPrimaryKey: "Tom")
        }
        guard case .update(_, let set)? = try await ages.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(set.modifications, ["clown"])
        let wrong = #expect(throws: Realm.Error.self) { try map.changes(keyPaths: ["nothing"]) }
        expectTrue(wrong?.property == "nothing" && wrong?.className == "GenericPet")
        guard case .update(_, let seen)? = try await owners.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(seen.modifications.contains("clown"))
    }

    // Covers O44
    @Test func streamOfTheOwnersFollowsTheMaps() async throws {
        let realm = try await realm()
        let live = realm.object(GenericPet.self, forPrimaryKey: "Tom").employers
        var stream = live.changes.makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else {
            Issue.record("no initial element")
            return
        }
        expectTrue(first.isEmpty && live.count == 0)
        try await realm.write { tx in
            tx.object(GenericOwner.self, forPrimaryKey: "Cem")?.byRole["a"] =
                tx.object(GenericPet.self, forPrimaryKey: "Tom")
        }
        guard case .update(let now, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(now.map(\.name) == ["Cem"] && delta.insertions == [0])
        expectEqual(live.current.map(\.name), ["Cem"])
        // Another key of the same map, one that has an entry.
        try await realm.write { tx in
            tx.object(GenericOwner.self, forPrimaryKey: "Cem")?.byRole["nobody"] =
                tx.object(GenericPet.self, forPrimaryKey: "Tom")
        }
        guard case .update(let twice, let second)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(twice.map(\.name) == ["Cem", "Cem"] && second.insertions.count == 1)
        expectTrue(second.deletions.isEmpty)
        try await realm.write { tx in
            tx.object(GenericOwner.self, forPrimaryKey: "Cem")?.byRole["nobody"] = .some(nil)
        }
        guard case .update(let once, let third)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(once.map(\.name) == ["Cem"] && third.deletions.count == 1)
    }

    // Covers 2.92, O44
    @Test func liveMapIsQueriedAndFollowed() async throws {
        let realm = try await realm()
        let old = realm.object(GenericOwner.self, forPrimaryKey: "Ann").byRole
            .where { $0.age > 3 }
        var stream = old.changes.makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else {
            Issue.record("no initial element")
            return
        }
        expectTrue(first.map(\.name) == ["Max"] && old.count == 1)
        // An object with two keys starts to match.
        try await realm.write { $0.object(GenericPet.self, forPrimaryKey: "Rex")?.age = 8 }
        guard case .update(let three, let came)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(three.map(\.name) == ["Max", "Rex", "Rex"] && came.insertions == [1, 2])
        // An existing entry gets another object.
        try await realm.write { tx in
            tx.object(GenericOwner.self, forPrimaryKey: "Ann")?.byRole["cook"] =
                tx.object(GenericPet.self, forPrimaryKey: "Tom")
        }
        guard case .update(let changed, let set)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(changed.map(\.name), ["Max", "Tom", "Rex"])
        expectTrue(set.deletions.count == 1 && set.insertions == [1])
        try await realm.write { $0.delete($0.objects(GenericOwner.self)) }
        guard case .update(let none, let gone)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(none.isEmpty && gone.deletions == [0, 1, 2])
    }

    // Covers 2.92
    @Test func inversesAgreeWithPlainMaps() async throws {
        let seed = SeededRandom.seed()
        var random = SeededRandom(seed)
        let realm = try await Realm.temporary(genericClasses)
        let (pets, owners) = (40, 12)
        try await realm.write { tx in
            for number in 0..<pets { try tx.add(GenericPet("\(number)", number)) }
            for number in 0..<owners { try tx.add(GenericOwner("\(number)")) }
        }
        var plain = [[String: Int]](repeating: [:], count: owners)
        for _ in 0..<40 {
            let edits = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                (
                    owner: Int.random(in: 0..<owners, using: &random),
                    key: "\(Int.random(in: 0..<5, using: &random))",
                    pet: Bool.random(using: &random)
                        ? Int.random(in: 0..<pets, using: &random) : nil
                )
            }
            for edit in edits { plain[edit.owner][edit.key] = edit.pet }
            try await realm.write { tx in
                for edit in edits {
                    let owner = tx.object(GenericOwner.self, forPrimaryKey: "\(edit.owner)")
                    owner?.byRole[edit.key] = edit.pet.map {
                        tx.object(GenericPet.self, forPrimaryKey: "\($0)")
                    }
                }
            }
            let snapshot = realm.snapshot()
            for pet in 0..<pets {
                let expected = plain.indices.flatMap { owner in
                    plain[owner].values.filter { $0 == pet }.map { _ in owner }
                }
                let found = snapshot.object(GenericPet.self, forPrimaryKey: "\(pet)")
                expectEqual(found?.employers.map(\.name), expected.map { "\($0)" }, "seed \(seed)")
            }
            for (number, map) in plain.enumerated() {
                let owner = snapshot.object(GenericOwner.self, forPrimaryKey: "\(number)")
                let found = owner?.byRole.where { $0.age >= 20 }.map(\.age)
                let expected = map.sorted { $0.key < $1.key }.map(\.value).filter { $0 >= 20 }
                expectEqual(found, expected, "seed \(seed)")
            }
            let bySecond = snapshot.objects(GenericPet.self).where { $0.employers.name == "2" }
            expectEqual(bySecond.map(\.age), Set(plain[2].values).sorted(), "seed \(seed)")
        }
    }
}

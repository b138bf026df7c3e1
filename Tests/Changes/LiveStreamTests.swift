import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Streams of classes with links and lists.
@Suite struct LiveStreamTests {
    /// Returns the update that results from a change of the first walker.
    private func update(
        depth: Int = 0, _ change: @escaping @Sendable (Transaction, Walker) throws -> Void
    ) async throws -> (FrozenResults<Walker>, ChangeSet<Walker>)? {
        let realm = try await Realm.kennel()
        var stream = realm.objects(Walker.self).changes(depth: depth).makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in try change(tx, tx.objects(Walker.self)[0]) }
        // Ends the wait if the change doesn't concern the stream.
        try await realm.write(origin: "mark") { tx in tx.objects(Walker.self)[1].name = "mark" }
        guard case .update(let walkers, let delta)? = try await stream.next() else { return nil }
        return (walkers, delta)
    }

    /// Returns the properties of the first walker that a change modifies.
    private func properties(
        depth: Int = 0, _ change: @escaping @Sendable (Transaction, Walker) throws -> Void
    ) async throws -> [String]? {
        try await update(depth: depth, change)?.1.modified.first { $0.new.name == "Ann" }?
            .properties
    }

    // Covers 4.12, 4.28, 4.56, O18
    @Test func changedListIsAModificationOfItsObject() async throws {
        try await expectEqual(properties { _, ann in ann.tags.append("new") }, ["tags"])
        try await expectEqual(properties { _, ann in ann.tags[0] = "new" }, ["tags"])
        try await expectEqual(properties { _, ann in ann.tags[0] = "big" }, ["tags"])
        try await expectEqual(properties { _, ann in ann.pups.removeLast() }, ["pups"])
        try await expectEqual(properties { _, ann in ann.pups.move(from: 0, to: 1) }, ["pups"])
        try await expectEqual(properties { _, ann in ann.badges.append(Medal("c")) }, ["badges"])
        try await expectEqual(
            properties { _, ann in
                ann.scores.removeAll()
                ann.favourite = nil
                ann.ratios[0] = 1
            }, ["favourite", "scores", "ratios"])
        try await expectEqual(
            properties { tx, _ in
                if let rex = tx.object(Whelp.self, forPrimaryKey: "Rex") { tx.delete(rex) }
            }, ["pups"])
    }

    // Covers O19
    @Test func changeOfALinkedObjectIsAModificationToADepth() async throws {
        try await expectEqual(
            properties(depth: 1) { _, ann in ann.favourite?.age = 9 }, ["favourite", "pups"])
        try await expectEqual(
            properties(depth: 1) { _, ann in ann.badges[0].weight = 9 }, ["badges"])
        try await expectNil(properties { _, ann in ann.favourite?.age = 9 })
        try await expectNil(properties { _, ann in ann.pups[0].age = 9 })
        try await expectNil(properties { _, ann in ann.tags.append(contentsOf: []) })
    }

    @Test func modificationTellsTheListBeforeAndAfter() async throws {
        let change = try await update { _, ann in ann.tags[1] = "quiet" }
        let modified = try requireValue(change?.1.modified.first)
        expectEqual(modified.old.tags.array, ["big", "loud", "big"])
        expectEqual(modified.new.tags.array, ["big", "quiet", "big"])
        expectTrue(change?.1.modifications == [0, 1] && change?.1.origins == ["mark"])
    }

    @Test func queryThroughALinkFollowsTheLinkedClass() async throws {
        let realm = try await Realm.kennel()
        let ann = realm.ann.rowIdentity
        let count = Realm.favouriteAgeAbove(4, realm)
        var stream = count.changes.makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else {
            Issue.record("no initial collection")
            return
        }
        expectEqual(first.map(\.name), ["Ann"])
        try await realm.write(origin: "younger") { tx in
            tx.object(Whelp.self, forPrimaryKey: "Fido")?.age = 1
        }
        guard case .update(let none, let left)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(none.isEmpty && left.deletions == [0] && left.origins == ["younger"])
        expectTrue(left.deleted.map(\.rowIdentity) == [ann] && left.version == none.version)
        try await realm.write { tx in tx.object(Whelp.self, forPrimaryKey: "Rex")?.age = 90 }
        try await realm.write { tx in tx.object(Whelp.self, forPrimaryKey: "Fido")?.age = 80 }
        guard case .update(let again, let joined)? = try await stream.next() else {
            Issue.record("no second update")
            return
        }
        expectTrue(again.map(\.name) == ["Ann"] && joined.insertions == [0])
    }

    @Test func streamKeepsNothingOfClassesThatItDoesNotAskAbout() async throws {
        let realm = try await Realm.temporary([Walker.self, Whelp.self, Medal.self, Person.self])
        try await realm.write { tx in
            let walker = Walker("Ann")
            walker.favourite = Whelp("Rex", age: 5)
            try tx.add(walker)
        }
        var stream = Realm.favouriteAgeAbove(4, realm).changes.makeAsyncIterator()
        _ = try await stream.next()
        for age in 0..<300 { try await realm.write { try $0.add(Person("p", age: age)) } }
        expectTrue(realm.stats().keptSummaries < 100)
        try await realm.write(origin: "this") { tx in tx.objects(Whelp.self)[0].age = 1 }
        for age in 0..<300 { try await realm.write { try $0.add(Person("p", age: age)) } }
        guard case .update(let none, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(none.isEmpty && delta.deletions == [0] && delta.origins == ["this"])
    }

    @Test func queryOfAListOfValuesFollowsItsElements() async throws {
        let realm = try await Realm.kennel()
        var stream = Realm.tagged("loud", realm).changes.makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else {
            Issue.record("no initial collection")
            return
        }
        expectEqual(first.map(\.name), ["Ann"])
        try await realm.write { tx in
            tx.objects(Walker.self)[0].tags[1] = "quiet"
            tx.objects(Walker.self)[1].tags.append("loud")
        }
        guard case .update(let then, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(then.map(\.name) == ["Bob"] && delta.deletions == [0] && delta.insertions == [0])
    }

    // Covers 4.54, O24
    @Test(arguments: [false, true])
    func objectsStreamNoticesItsLists(keepsSummaries: Bool) async throws {
        final class Owner: Object {
            @Persisted(primaryKey: true) var key: Int
            @Persisted var names: List<String>
            @Persisted var pups: List<Whelp>
        }
        let types: [ObjectBase.Type] = [Owner.self, Whelp.self, Walker.self, Medal.self]
        let realm =
            keepsSummaries
            ? try await Realm.temporary(types) : try await LaterProgram.withoutSummaries(types)
        try await realm.write { tx in
            let owner = Owner()
            owner.names.append("a")
            owner.pups.append(Whelp("Rex"))
            try tx.add(owner)
            let other = Owner()
            other.key = 1
            try tx.add(other)
        }
        let live = realm.object(Owner.self, forPrimaryKey: 0)
        var stream = live.changes.makeAsyncIterator()
        _ = try await stream.next()
        let steps: [(@Sendable (Transaction, Owner) throws -> Void, [String])] = [
            ({ _, owner in owner.names.append("b") }, ["names"]),
            ({ _, owner in owner.names[0] = "c" }, ["names"]),
            ({ _, owner in owner.pups.append(Whelp("Max")) }, ["pups"]),
            ({ tx, _ in tx.delete(tx.objects(Whelp.self)[0]) }, ["pups"]),
        ]
        for (change, expected) in steps {
            try await realm.write { tx in
                // Changes of another owner, or of the pups themselves, aren't reported.
                tx.objects(Owner.self)[1].names.append("x")
                tx.objects(Whelp.self)[0].age += 1
            }
            try await realm.write { tx in try change(tx, tx.objects(Owner.self)[0]) }
            guard case .changed(let old, let new, let properties)? = try await stream.next()
            else {
                Issue.record("no change")
                return
            }
            expectTrue(properties == expected && old != new && new == live.current)
        }
    }

    // Covers 4.35, O16
    @Test func distinctAndLinkedResultsAreFollowed() async throws {
        let realm = try await Realm.kennel()
        let ages = realm.objects(Whelp.self).sorted(by: \.friend?.age).distinct(by: \.fur)
        var stream = ages.changes.makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else {
            Issue.record("no initial collection")
            return
        }
        // Fido's friend is 3, Rex's 5.
        expectEqual(first.map(\.name), ["Fido", "Rex"])
        try await realm.write { tx in
            tx.object(Whelp.self, forPrimaryKey: "Rex")?.age = 10
        }
        guard case .update(let then, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(then.map(\.name), ["Rex", "Fido"])
        expectTrue(delta.deletions.count == 1 && delta.insertions.count == 1)
        try await realm.write { tx in
            try tx.add(Whelp("Max"))
        }
        guard case .update(let last, let replaced)? = try await stream.next() else {
            Issue.record("no second update")
            return
        }
        // Another object is the first short-haired one now: it has no friend, so it precedes all
        // others.
        expectEqual(last.map(\.name), ["Max", "Rex"])
        expectEqual(replaced.deleted.map(\.name), ["Fido"])
        expectEqual(replaced.inserted.map(\.name), ["Max"])
    }
}

extension Realm {
    fileprivate static func favouriteAgeAbove(_ age: Int, _ realm: Realm) -> LiveResults<Walker> {
        realm.objects(Walker.self).where { $0.favourite.age > age }
    }

    fileprivate static func tagged(_ tag: String, _ realm: Realm) -> LiveResults<Walker> {
        realm.objects(Walker.self).where { $0.tags.contains(tag) }
    }
}

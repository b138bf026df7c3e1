import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The beginning and end of streams, and commits made while nobody asks for the next element.
@Suite struct ObservationTests {
    /// Returns the code of the error that the next element throws.
    private func code<Model>(
        _ stream: inout CollectionChanges<Model>.AsyncIterator
    ) async -> Realm.Error.Code? {
        do throws(Realm.Error) {
            _ = try await stream.next(isolation: #isolation)
            return nil
        } catch {
            return error.code
        }
    }

    // Covers O2
    @Test func sequenceIsNoStreamUntilItIsIterated() async throws {
        let realm = try await Realm.temporary([Room.self])
        let rooms = realm.objects(Room.self).changes
        let room = realm.object(Room.self, forPrimaryKey: "a").changes
        expectEqual(realm.stats().streams, 0)
        var first = rooms.makeAsyncIterator()
        var second = room.makeAsyncIterator()
        expectEqual(realm.stats().streams, 2)
        #expect(try await nextInitial(&first).isEmpty)
        guard case .initial(nil)? = try await second.next() else {
            Issue.record("not the initial element")
            return
        }
    }

    // Covers O5, O7
    @Test func classThatDoesNotFitIsThrownOnceAtTheFirstElement() async throws {
        enum Old {
            final class Leaf: Object { @Persisted var text: String }
        }
        enum New {
            final class Leaf: Object { @Persisted var text: Int }
        }
        let realm = try await Realm.temporary()
        try await realm.write { try $0.add(Old.Leaf()) }
        let later = try LaterProgram.core(of: realm)
        var stream = later.objects(New.Leaf.self).changes.makeAsyncIterator()
        await expectEqual(code(&stream), .schemaMismatch)
        try await expectNil(stream.next())
    }

    // Covers O5
    @Test func operandOfAnotherRealmIsThrownOnceAtTheFirstElement() async throws {
        let realm = try await Realm.kennel()
        let stranger = try await Realm.kennel().snapshot()
            .object(Whelp.self, forPrimaryKey: "Rex")
        let walkers = Self.walkers(realm, of: try requireValue(stranger))
        var stream = walkers.changes.makeAsyncIterator()
        await expectEqual(code(&stream), .invalidQuery)
        try await expectNil(stream.next())
    }

    private static func walkers(_ realm: Realm, of pup: Frozen<Whelp>) -> LiveResults<Walker> {
        realm.objects(Walker.self).where { $0.favourite == pup }
    }

    // Covers O5, .closed
    @Test func streamOfAClosedRealmThrowsOnceAndOneThatIsClosedEnds() async throws {
        let realm = try await Realm.temporary([Person.self])
        var before = realm.objects(Person.self).changes.makeAsyncIterator()
        _ = try await nextInitial(&before)
        await realm.close()
        var after = realm.objects(Person.self).changes.makeAsyncIterator()
        await expectEqual(code(&after), .closed)
        try await expectNil(after.next())
        try await expectNil(before.next())
        try await expectNil(before.next())
    }

    // Covers O6
    @Test func everyCommitBeforeACloseIsDelivered() async throws {
        let realm = try await Realm.temporary([Kiosk.self, Paper.self])
        let kiosk = realm.object(Kiosk.self, forPrimaryKey: "north")
        var each = realm.objects(Kiosk.self).changes(policy: .everyCommit).makeAsyncIterator()
        var object = kiosk.changes.makeAsyncIterator()
        var papers = kiosk.papers.changes.makeAsyncIterator()
        var tags = kiosk.tags.changes.makeAsyncIterator()
        var commits = realm.commits.makeAsyncIterator()
        _ = try await nextInitial(&each)
        _ = try await object.next()
        _ = try await nextInitial(&papers)
        _ = try await tags.next()
        try await realm.write { try $0.add(Kiosk("north", papers: ["a"])) }
        try await realm.write { $0.objects(Kiosk.self)[0].tags.append("old") }
        await realm.close()
        try await expectEqual(nextUpdate(&each).1.insertions, [0])
        try await expectEqual(nextUpdate(&each).1.modified.map(\.properties), [["tags"]])
        try await expectNil(each.next())
        guard case .inserted? = try await object.next() else {
            Issue.record("no insertion")
            return
        }
        try await expectNil(object.next())
        try await expectEqual(nextUpdate(&papers).1.insertions, [0])
        try await expectNil(papers.next())
        guard case .update(let values, _)? = try await tags.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(values.array, ["old"])
        try await expectNil(tags.next())
        let first = try await commits.next()
        let second = try await commits.next()
        expectTrue(first?.classNames.contains("Kiosk") == true && second != nil)
        try await expectNil(commits.next())
    }

    // Covers O6
    @Test func cancellationEndsObjectsValuesAndCommits() async throws {
        let realm = try await Realm.temporary([Kiosk.self, Paper.self])
        let kiosk = realm.object(Kiosk.self, forPrimaryKey: "north")
        try await realm.write { try $0.add(Kiosk("north", papers: ["a"])) }
        let tasks = [
            Task { for try await _ in kiosk.changes {} },
            Task { for try await _ in kiosk.papers.changes {} },
            Task { for try await _ in kiosk.tags.changes {} },
            Task { for try await _ in realm.commits {} },
        ]
        for task in tasks {
            task.cancel()
            try await task.value
        }
        expectEqual(realm.stats().streams, 0)
    }

    /// Sets the age of a realm's only person to its current value, adds a second person, and
    /// deletes it with the next commit.
    private func tellThreeCommits(_ realm: Realm) async throws {
        try await realm.write(origin: "same") { $0.objects(Person.self)[0].age = 1 }
        try await realm.write(origin: "come") { try $0.add(Person("Bob", age: 2)) }
        try await realm.write(origin: "gone") { tx in
            tx.objects(Person.self)[0].name = "Anna"
            tx.delete(tx.objects(Person.self)[1])
        }
    }

    // Covers O28, O29, O30
    @Test func policiesTellTheSameCommitsEachInItsWay() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { try $0.add(Person("Ann", age: 1)) }
        let people = realm.objects(Person.self)
        var merged = people.changes(policy: .coalesce).makeAsyncIterator()
        var each = people.changes(policy: .everyCommit).makeAsyncIterator()
        var newest = people.changes(policy: .newest).makeAsyncIterator()
        _ = try await nextInitial(&merged)
        _ = try await nextInitial(&each)
        _ = try await nextInitial(&newest)
        let start = realm.snapshot().version
        try await tellThreeCommits(realm)

        let (_, one) = try await nextUpdate(&merged)
        expectTrue(one.deletions == [] && one.insertions == [] && one.modifications == [0])
        expectEqual(one.modified.map(\.properties), [["name", "age"]])
        expectTrue(one.origins == ["same", "come", "gone"] && one.version == start + 3)

        let (first, same) = try await nextUpdate(&each)
        expectTrue(first.map(\.name) == ["Ann"] && same.modified.map(\.properties) == [["age"]])
        expectTrue(same.origins == ["same"] && same.version == start + 1)
        let (second, come) = try await nextUpdate(&each)
        expectTrue(second.map(\.name) == ["Ann", "Bob"] && come.insertions == [1])
        expectTrue(come.modifications == [] && come.version == start + 2)
        let (third, gone) = try await nextUpdate(&each)
        expectTrue(third.map(\.name) == ["Anna"] && gone.deletions == [1])
        expectTrue(gone.modified.map(\.properties) == [["name"]] && gone.origins == ["gone"])

        let (_, compared) = try await nextUpdate(&newest)
        expectTrue(compared.deletions == [] && compared.insertions == [])
        expectEqual(compared.modified.map(\.properties), [["name"]])
        expectEqual(compared.origins, ["same", "come", "gone"])
        try await realm.write { $0.objects(Person.self)[0].age = 1 }
        try await expectEqual(nextUpdate(&newest).1.modified.map(\.properties), [[]])
    }

    // Covers O7, O28, O29, .historyTrimmed
    @Test func whatIsKeptNoLongerIsComparedAndEveryCommitEnds() async throws {
        let realm = try await LaterProgram.withoutSummaries([Person.self])
        try await realm.write { try $0.add(Person("Ann", age: 1)) }
        let people = realm.objects(Person.self)
        var merged = people.changes.makeAsyncIterator()
        var each = people.changes(policy: .everyCommit).makeAsyncIterator()
        _ = try await nextInitial(&merged)
        _ = try await nextInitial(&each)
        try await realm.write { $0.objects(Person.self)[0].age = 1 }
        try await expectEqual(nextUpdate(&merged).1.modified.map(\.properties), [[]])
        try await tellThreeCommits(realm)
        try await expectEqual(nextUpdate(&merged).1.modified.map(\.properties), [["name"]])
        await expectEqual(code(&each), .historyTrimmed)
        try await expectNil(each.next())
    }

    // Covers O29
    @Test func everyCommitIsReadFromTheLogWhereItIsKeptNoLonger() async throws {
        let folder = try RealmFolder()
        let realm = try await LaterProgram.withoutSummaries([Person.self], at: folder["test.realm"])
        try await realm.write { try $0.add(Person("Ann", age: 1)) }
        var each = realm.objects(Person.self).changes(policy: .everyCommit).makeAsyncIterator()
        _ = try await nextInitial(&each)
        try await tellThreeCommits(realm)
        let same = try await nextUpdate(&each).1
        expectTrue(same.modified.map(\.properties) == [["age"]] && same.origins == ["same"])
        let come = try await nextUpdate(&each).1
        expectTrue(come.insertions == [1] && come.origins == ["come"])
        let gone = try await nextUpdate(&each).1
        expectTrue(gone.deletions == [1] && gone.modified.map(\.properties) == [["name"]])
        await realm.close()
        try await expectNil(each.next())
    }

    // Covers O29
    @Test func onlyTheNextCommitsAreTakenFromTheKeptOnes() async throws {
        let realm = try await Realm.temporary([Person.self])
        var each = realm.objects(Person.self).changes(policy: .everyCommit).makeAsyncIterator()
        _ = try await nextInitial(&each)
        for age in 0..<200 { try await realm.write { try $0.add(Person("p", age: age)) } }
        for age in 0..<200 {
            try await expectEqual(nextUpdate(&each).1.inserted.map(\.age), [age])
            if age == 0 { expectEqual(realm.stats().keptSummaries, 136) }
        }
        expectEqual(realm.stats().keptSummaries, 0)
    }

    // Covers O27
    @Test func streamThatIsNotPulledHoldsUpNoOther() async throws {
        let realm = try await Realm.temporary([Person.self])
        var slow = realm.objects(Person.self).changes.makeAsyncIterator()
        var quick = realm.objects(Person.self).changes.makeAsyncIterator()
        _ = try await nextInitial(&slow)
        _ = try await nextInitial(&quick)
        for age in 0..<50 {
            try await realm.write { try $0.add(Person("p", age: age)) }
            try await expectEqual(nextUpdate(&quick).1.insertions, [age])
        }
        try await expectEqual(nextUpdate(&slow).1.insertions, Array(0..<50))
    }

    // Covers O32
    @Test func originsAreThoseOfTheCommitsThatConcernTheStream() async throws {
        let realm = try await Realm.temporary([Message.self, Room.self])
        let messages = realm.objects(Message.self).where { $0.room == "general" }
        var stream = messages.changes.makeAsyncIterator()
        _ = try await nextInitial(&stream)
        for (origin, room) in [
            ("b", "general"), ("elsewhere", "random"), ("a", "general"), ("b", "general"),
        ] {
            try await realm.write(origin: origin) { tx in
                let message = Message()
                message.id = .generate()
                message.room = room
                try tx.add(message)
            }
        }
        try await realm.write(origin: "rooms") { try $0.add(Room("general")) }
        let (all, delta) = try await nextUpdate(&stream)
        expectTrue(all.count == 3 && delta.origins == ["b", "a"])
        expectEqual(delta.version, all.version)
    }
}

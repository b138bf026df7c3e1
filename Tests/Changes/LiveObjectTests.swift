import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Streams of objects without a primary key, of embedded objects, and along links.
@Suite struct LiveObjectTests {
    typealias Guest = Cards.Guest
    typealias Town = Cards.Town
    typealias Note = Cards.Note

    /// Names the next element, if there is one.
    private func next<T: ObjectBase>(
        _ stream: inout ObjectChanges<T>.AsyncIterator, _ text: (Frozen<T>) -> String,
        isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> String {
        let next = try await stream.next(
            within: .zero, clock: ContinuousClock(), isolation: actor)
        switch next {
        case .element(.initial(let object)): return "initial \(object.map(text) ?? "nil")"
        case .element(.inserted(let object)): return "inserted \(text(object))"
        case .element(.changed(let old, let new, let names)):
            return "\(text(old)) \(text(new)) \(names)"
        case .element(.deleted(let object)): return "deleted \(text(object))"
        case .timedOut: return "nothing"
        case .end: return "end"
        }
    }

    private func guest(_ tx: borrowing Transaction, _ id: Int) throws -> Guest {
        try requireValue(tx.object(Guest.self, forPrimaryKey: id))
    }

    // Covers 4.53, 4.54, 4.58, O53
    @Test func anObjectWithoutAKeyIsFollowedUntilItIsDeleted() async throws {
        let realm = try await Cards.realm()
        try await realm.write { tx in
            for text in ["one", "two"] { try tx.add(Note(value: ["text": text])) }
        }
        let live = realm.object(following: realm.snapshot().objects(Note.self)[0])
        var stream = live.changes.makeAsyncIterator()
        try await expectEqual(next(&stream) { $0.text }, "initial one")
        try await realm.write { $0.objects(Note.self)[1].text = "2" }
        try await expectEqual(next(&stream) { $0.text }, "nothing")
        try await realm.write { tx in
            let note = tx.objects(Note.self)[0]
            note.author = tx.objects(Guest.self)[0]
            note.text = "1"
        }
        try await expectEqual(next(&stream) { $0.text }, #"one 1 ["text", "author"]"#)
        expectEqual(live.current?.text, "1")
        // shallow
        try await realm.write { $0.objects(Guest.self)[0].age = 41 }
        try await expectEqual(next(&stream) { $0.text }, "nothing")
        try await realm.write { $0.delete($0.objects(Note.self)[0]) }
        try await realm.write { try $0.add(Note(value: ["text": "three"])) }
        try await expectEqual(next(&stream) { $0.text }, "deleted 1")
        try await realm.write { $0.delete($0.objects(Note.self)) }
        try await expectEqual(next(&stream) { $0.text }, "nothing")
        expectTrue(live.current == nil)
    }

    // Covers 4.54, O53
    @Test func depthAndKeyPathsOfAnObjectWithoutAKey() async throws {
        let realm = try await Cards.realm()
        try await realm.write { tx in
            let note = Note(value: ["text": "one"])
            try tx.add(note)
            note.author = tx.objects(Guest.self)[0]
        }
        let start = realm.snapshot()
        let live = realm.object(following: start.objects(Note.self)[0])
        var deep = live.changes(depth: 1).makeAsyncIterator()
        var named = live.changes(keyPaths: [\.author?.age]).makeAsyncIterator()
        _ = try await (deep.next(), named.next())
        try await realm.write { $0.objects(Guest.self)[0].lastName = "Low" }
        try await expectEqual(next(&deep) { $0.text }, #"one one ["author"]"#)
        try await expectEqual(next(&named) { $0.text }, "nothing")
        try await realm.write { $0.objects(Guest.self)[0].age = 41 }
        try await expectEqual(next(&named) { $0.text }, #"one one ["author"]"#)
    }

    // Covers 4.59, O53
    @Test func anEmbeddedObjectIsFollowedUntilItIsDeleted() async throws {
        let realm = try await Cards.realm()
        try await realm.write { try guest($0, 2).address = Cards.town("Brno") }
        let snapshot = realm.snapshot()
        let towns = try [1, 2].map { id in
            try requireValue(snapshot.object(Guest.self, forPrimaryKey: id)?.address)
        }
        let (first, second) = (
            realm.object(following: towns[0]), realm.object(following: towns[1])
        )
        var prague = first.changes.makeAsyncIterator()
        var brno = second.changes(keyPaths: [\.country]).makeAsyncIterator()
        try await expectEqual(next(&prague) { $0.city }, "initial Prague")
        try await expectEqual(next(&brno) { $0.city }, "initial Brno")
        try await realm.write { tx in
            try guest(tx, 1).address?.city = "Praha"
            try guest(tx, 2).address?.city = "Brünn"
        }
        try await expectEqual(next(&prague) { $0.city }, #"Prague Praha ["city"]"#)
        try await expectEqual(next(&brno) { $0.city }, "nothing")
        expectEqual(first.current?.city, "Praha")
        // by the assignment of another one, and with its owner
        try await realm.write { tx in
            try guest(tx, 1).address = Cards.town("Plzen")
            tx.delete(try guest(tx, 2))
        }
        try await expectEqual(next(&prague) { $0.city }, "deleted Praha")
        try await expectEqual(next(&brno) { $0.city }, "deleted Brünn")
        expectTrue(first.current == nil && second.current == nil)
        try await realm.write { try guest($0, 1).address?.city = "Ostrava" }
        try await expectEqual(next(&prague) { $0.city }, "nothing")
    }

    // Covers O53
    @Test(arguments: [ChangePolicy.coalesce, .everyCommit, .newest])
    func aLinkLeadsToWhatItIsSetTo(_ policy: ChangePolicy) async throws {
        let realm = try await Cards.realm()
        let boss = realm.object(Guest.self, forPrimaryKey: 2).boss
        var stream = boss.changes(policy: policy).makeAsyncIterator()
        var address = boss.address.changes(policy: policy).makeAsyncIterator()
        try await expectEqual(next(&stream) { $0.firstName }, "initial Ann")
        try await expectEqual(next(&address) { $0.city }, "initial Prague")
        try await realm.write { tx in
            try guest(tx, 1).age = 41
            try guest(tx, 3).age = 31
        }
        try await expectEqual(next(&stream) { $0.firstName }, #"Ann Ann ["age"]"#)
        try await expectEqual(next(&address) { $0.city }, "nothing")
        try await realm.write { try guest($0, 2).boss = try guest($0, 3) }
        try await expectEqual(next(&stream) { $0.firstName }, "deleted Ann")
        try await expectEqual(next(&stream) { $0.firstName }, "inserted Cid")
        try await expectEqual(next(&address) { $0.city }, "deleted Prague")
        expectTrue(boss.current?.firstName == "Cid" && boss.address.current == nil)
        try await realm.write { try guest($0, 3).address = Cards.town("Brno") }
        try await expectEqual(next(&address) { $0.city }, "inserted Brno")
        try await realm.write { tx in
            try guest(tx, 3).address?.city = "Brünn"
            try guest(tx, 1).age = 42
        }
        try await expectEqual(next(&address) { $0.city }, #"Brno Brünn ["city"]"#)
        try await expectEqual(next(&stream) { $0.firstName }, #"Cid Cid ["address"]"#)
        try await realm.write { $0.delete(try guest($0, 2)) }
        try await expectEqual(next(&stream) { $0.firstName }, "deleted Cid")
        try await expectEqual(next(&address) { $0.city }, "deleted Brünn")
        try await realm.write { tx in
            let bob = Guest(2, "Bob")
            try tx.add(bob)
            bob.boss = try guest(tx, 1)
        }
        try await expectEqual(next(&stream) { $0.firstName }, "inserted Ann")
        try await expectEqual(next(&address) { $0.city }, "inserted Prague")
    }

    // Covers 4.31, O53
    @Test func collectionsAreFollowedThroughLinks() async throws {
        let realm = try await Cards.realm()
        let boss = realm.object(Guest.self, forPrimaryKey: 2).boss
        let ann = try requireValue(boss.current)
        var friends = boss.friends.changes.makeAsyncIterator()
        var fans = realm.object(following: ann).fans.changes.makeAsyncIterator()
        var tags = realm.object(following: ann).tags.changes.makeAsyncIterator()
        _ = try await (friends.next(), fans.next(), tags.next())
        expectEqual(boss.friends.current.map(\.id), [2, 3])
        try await realm.write { tx in
            try guest(tx, 3).friends.append(try guest(tx, 1))
            try guest(tx, 1).tags.append("c")
            try guest(tx, 2).boss = try guest(tx, 3)
        }
        guard
            case .update(let now, let delta)? = try await friends.next(within: .zero).element,
            case .update(let origins, _)? = try await fans.next(within: .zero).element,
            case .update(let values, let change)? = try await tags.next(within: .zero).element
        else {
            Issue.record("an element is missing")
            return
        }
        expectTrue(delta.deletions == [0, 1] && delta.insertions == [0])
        expectTrue(now.map(\.id) == [1] && origins.map(\.id) == [3])
        expectTrue(Array(values) == ["a", "b", "c"] && change.insertions == [2])
        try await realm.write { $0.delete(try guest($0, 1)) }
        guard case .update(let rest, _)? = try await tags.next(within: .zero).element,
            case .update(let none, _)? = try await friends.next(within: .zero).element
        else {
            Issue.record("the deletion is missing")
            return
        }
        expectTrue(rest.isEmpty && none.isEmpty)
    }

    // Covers O53, O33
    @Test func suchStreamsResume() async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration("links.realm", Cards.types))
        try await realm.write { tx in
            let (ann, bob) = (Guest(1, "Ann"), Guest(2, "Bob"))
            try tx.add([ann, bob])
            bob.boss = ann
        }
        let start = realm.snapshot()
        let boss = realm.object(Guest.self, forPrimaryKey: 2).boss
        let ann = realm.object(following: try requireValue(boss.current))
        try await realm.write { try guest($0, 1).age = 41 }
        try await realm.write { try guest($0, 2).boss = nil }
        try await realm.write { $0.delete(try guest($0, 1)) }
        for policy in [ChangePolicy.everyCommit, .coalesce] {
            var link = boss.changes(policy: policy, since: start.cursor).makeAsyncIterator()
            var object = ann.changes(policy: policy, since: start.cursor).makeAsyncIterator()
            if policy == .everyCommit {
                try await expectEqual(next(&link) { "\($0.age)" }, #"0 41 ["age"]"#)
                try await expectEqual(next(&object) { "\($0.age)" }, #"0 41 ["age"]"#)
            }
            let last = policy == .everyCommit ? "deleted 41" : "deleted 0"
            try await expectEqual(next(&link) { "\($0.age)" }, last)
            try await expectEqual(next(&object) { "\($0.age)" }, last)
        }
        await realm.close()
    }

    /// A copy of a realm has the same identity.
    // Covers O53
    @Test func objectsOfACopyBelongToAnotherRealm() async throws {
        let folder = try RealmFolder()
        let configuration = folder.configuration("links.realm", Cards.types)
        let realm = try await Realm.open(configuration)
        try await realm.write { try $0.add(Guest(1, "Ann")) }
        try await realm.backup(to: folder["copy.realm"])
        let ann = realm.snapshot().objects(Guest.self)[0]
        let copies = [
            try await Realm.open(folder.configuration("copy.realm", Cards.types)),
            try await Realm.temporary(Cards.types, from: folder["links.realm"]),
        ]
        for copy in copies {
            let twin = copy.snapshot().objects(Guest.self)[0]
            expectEqual(twin.firstName, "Ann")
            expectTrue(realm.core.owns(ann.table.snapshot) && copy.core.owns(twin.table.snapshot))
            expectTrue(!realm.core.owns(twin.table.snapshot))
            expectTrue(!copy.core.owns(ann.table.snapshot))
            await copy.close()
        }
        await realm.close()
        let again = try await Realm.open(configuration)
        try await again.write { try guest($0, 1).firstName = "Anna" }
        expectEqual(again.object(following: ann).current?.firstName, "Anna")
        await again.close()
    }
}

import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Streams of projections report what the projection names, by its names.
@Suite struct ProjectionStreamTests {
    typealias Guest = Cards.Guest
    typealias Card = Cards.Card

    /// Returns the next update of a stream: what was modified, and by which properties.
    private func update<P: ClassProjection>(
        _ stream: inout CollectionChanges<P>.AsyncIterator,
        isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> ([Int], [[String]], ChangeSet<P>) {
        guard case .update(_, let delta)? = try await stream.next(isolation: actor) else {
            throw Realm.Error(.invalidInput, "no update")
        }
        return (delta.modifications, delta.modified.map(\.properties), delta)
    }

    // Covers 8.23, O20
    @Test func onlyWhatTheProjectionNamesIsTold() async throws {
        let realm = try await Cards.realm()
        var stream = realm.objects(Card.self).sorted(by: \.firstName).changes.makeAsyncIterator()
        guard case .initial(let cards)? = try await stream.next() else {
            Issue.record("no initial collection")
            return
        }
        expectEqual(cards.map(\.firstName), ["Ann", "Bob", "Cid"])
        // Not named by the projection: no element.
        try await realm.write { tx in
            let ann = tx.object(Guest.self, forPrimaryKey: 1)
            ann?.age = 41
            ann?.tags.append("x")
            ann?.address?.country = "SK"
        }
        // Renamed, embedded, through two links, through the list.
        try await realm.write(origin: "move") { tx in
            tx.object(Guest.self, forPrimaryKey: 1)?.address?.city = "Brno"
        }
        let (positions, names, delta) = try await update(&stream)
        expectTrue(positions == [0, 1] && names == [["homeCity"], ["bossCity"]])
        expectEqual(delta.modified[0].old.homeCity, "Prague")
        expectTrue(delta.modified[0].new.homeCity == "Brno" && delta.origins == ["move"])
        try await realm.write { tx in
            tx.object(Guest.self, forPrimaryKey: 3)?.lastName = "Cox"
        }
        try await expectEqual(update(&stream).1, [["familyName"]])
        try await realm.write { tx in
            tx.object(Guest.self, forPrimaryKey: 3)?.firstName = "Cod"
        }
        let named = try await update(&stream)
        expectTrue(named.0 == [0, 2] && named.1 == [["friendNames"], ["firstName"]])
        try await realm.write { tx in
            let ann = tx.object(Card.self, forPrimaryKey: 1)
            ann?.rootObject.friends.removeLast()
            ann?.familyName = "Low"
        }
        try await expectEqual(update(&stream).1, [["familyName", "friendNames"]])
        // Insertions and deletions are always reported.
        try await realm.write { tx in
            tx.delete(try requireValue(tx.object(Guest.self, forPrimaryKey: 3)))
            try tx.add(Guest(4, "Dan"))
        }
        let last = try await update(&stream).2
        expectTrue(last.deletions == [2] && last.insertions == [2])
        expectEqual(last.deleted.map(\.firstName), ["Cod"])
        expectEqual(last.inserted.map(\.firstName), ["Dan"])
    }

    @Test func streamFollowsTheQueryOnTheModel() async throws {
        let realm = try await Cards.realm()
        var stream = realm.objects(Card.self).where { $0.age > 10 }.changes(policy: .everyCommit)
            .makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in tx.object(Guest.self, forPrimaryKey: 1)?.age = 50 }
        try await realm.write { tx in tx.object(Guest.self, forPrimaryKey: 2)?.age = 50 }
        let (_, _, delta) = try await update(&stream)
        expectTrue(delta.insertions == [1] && delta.modifications == [])
    }

    // Covers 4.61
    @Test func objectIsFollowedByWhatTheProjectionNames() async throws {
        let realm = try await Cards.realm()
        let live = realm.object(Card.self, forPrimaryKey: 1)
        expectEqual(live.current?.homeCity, "Prague")
        var stream = live.changes.makeAsyncIterator()
        guard case .initial(let card?)? = try await stream.next() else {
            Issue.record("no initial object")
            return
        }
        expectEqual(card.friendNames, ["Bob", "Cid"])
        try await realm.write { tx in tx.object(Guest.self, forPrimaryKey: 1)?.age = 1 }
        try await realm.write { tx in tx.object(Guest.self, forPrimaryKey: 2)?.lastName = "X" }
        try await realm.write { tx in
            tx.object(Guest.self, forPrimaryKey: 2)?.firstName = "Rob"
            tx.object(Guest.self, forPrimaryKey: 1)?.lastName = "Low"
        }
        guard case .changed(let old, let new, let properties)? = try await stream.next() else {
            Issue.record("no change")
            return
        }
        expectEqual(properties, ["familyName", "friendNames"])
        expectTrue(old.familyName == "Lee" && new.familyName == "Low")
        expectTrue(old.friendNames == ["Bob", "Cid"] && new.friendNames == ["Rob", "Cid"])
        try await realm.write { tx in
            tx.delete(try requireValue(tx.object(Card.self, forPrimaryKey: 1)))
        }
        guard case .deleted(let last)? = try await stream.next() else {
            Issue.record("no deletion")
            return
        }
        expectEqual(last.homeCity, "Prague")
    }

    // Covers 4.61
    @Test func keyPathsNarrowTheStream() async throws {
        let realm = try await Cards.realm()
        let cards = realm.objects(Card.self)
        var typed = cards.changes(keyPaths: [\.homeCity, \.friendNames]).makeAsyncIterator()
        // Key paths as text use the model's property names.
        var text = try cards.changes(keyPaths: ["address", "age"]).makeAsyncIterator()
        _ = try await typed.next()
        _ = try await text.next()
        try await realm.write { tx in tx.object(Guest.self, forPrimaryKey: 3)?.lastName = "Cox" }
        try await realm.write { tx in
            let ann = tx.object(Guest.self, forPrimaryKey: 1)
            ann?.address = Cards.town("Brno")
            ann?.friends.removeAll()
            ann?.age = 9
        }
        try await expectEqual(update(&typed).1, [["homeCity", "friendNames"]])
        try await expectEqual(update(&text).1, [["homeCity"]])
        #expect(throws: Realm.Error.self) { try cards.changes(keyPaths: ["homeCity"]) }
    }

    // Covers 4.61, 8.23, O20
    @Test func onePropertyUnderTwoNamesIsToldByBoth() async throws {
        final class Twice: Projection<Guest> {
            @Projected(\Guest.firstName) var one
            @Projected(\Guest.shout) var loud
            @Projected(\Guest.nickname) var nickname
            @Projected(\Guest.fullName) var full
        }
        let realm = try await Cards.realm()
        var stream = realm.objects(Twice.self).changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in
            tx.object(Guest.self, forPrimaryKey: 2)?.firstName = "Rob"
        }
        let (_, names, delta) = try await update(&stream)
        expectEqual(names, [["one", "loud", "nickname", "full"]])
        expectTrue(delta.modified[0].new.loud == "ROB" && delta.modified[0].old.full == "Bob Ray")
        try await realm.write { tx in
            tx.object(Twice.self, forPrimaryKey: 2)?.nickname = "Bob"
            tx.object(Guest.self, forPrimaryKey: 3)?.lastName = "Cox"
        }
        let second = try await update(&stream)
        expectTrue(second.0 == [1, 2] && second.1[1] == ["full"])
    }

    // Covers 4.62
    @Test func liveListsOfAProjection() async throws {
        let realm = try await Cards.realm()
        let live = realm.object(Cards.LongCard.self, forPrimaryKey: 1)
        expectTrue(live.friends.count == 2 && live.tags.current.count == 2)
        var stream = live.friends.changes(keyPaths: [\.firstName]).makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in tx.object(Guest.self, forPrimaryKey: 2)?.age = 5 }
        try await realm.write { tx in
            tx.object(Guest.self, forPrimaryKey: 2)?.firstName = "Rob"
        }
        guard case .update(let friends, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(delta.modifications == [0] && friends[0].firstName == "Rob")
        expectTrue(live.fans.current.isEmpty)
    }
}

import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Projections in a transaction, projections of unmanaged objects, and their declarations.
@Suite struct ProjectionTests {
    typealias Guest = Cards.Guest
    typealias Card = Cards.Card

    // Covers 8.22, 8.24, 8.30
    @Test func viewModelNeedsNoRealm() {
        let ann = Guest(1, "Ann", "Lee")
        ann.friends.append(objectsIn: [Guest(2, "Bob"), Guest(3, "Cid")])
        let card = Card(projecting: ann)
        expectTrue(card.firstName == "Ann" && card.familyName == "Lee" && card.homeCity == nil)
        expectEqual(card.greeting, "Dear Ann Lee")
        expectEqual(Array(card.friendNames), ["Bob", "Cid"])
        ann.address = Cards.town("Prague")
        ann.boss = ann
        expectTrue(card.homeCity == "Prague" && card.bossCity == "Prague")
        card.familyName = "Fox"
        card.friendNames[1] = "Cod"
        expectTrue(ann.lastName == "Fox" && ann.friends[1].firstName == "Cod")
        expectTrue(card.rootObject === ann && !card.isManaged && !card.isInvalidated)
        expectEqual(Cards.Place(projecting: Cards.town("Brno")).name, "Brno")
        expectEqual(Card().firstName, "")
    }

    // Covers 8.23, 8.26
    @Test func assignmentsGoToTheObject() async throws {
        let realm = try await Cards.realm()
        try await realm.write { tx in
            let card = try requireValue(tx.object(Card.self, forPrimaryKey: 1))
            expectTrue(card.isManaged && card.homeCity == "Prague" && card.bossCity == nil)
            card.firstName = "Anna"
            card.friendNames[0] = "Rob"
            expectEqual(card.rootObject.firstName, "Anna")
            let long = Cards.LongCard(projecting: card.rootObject)
            long.boss = tx.object(Guest.self, forPrimaryKey: 3)
            long.tags.append("c")
            expectEqual(long.fullName, "Anna Lee")
        }
        let ann = try requireValue(realm.snapshot().object(Guest.self, forPrimaryKey: 1))
        expectTrue(ann.firstName == "Anna" && ann.friends.map(\.firstName) == ["Rob", "Cid"])
        expectTrue(ann.boss?.firstName == "Cid" && Array(ann.tags) == ["a", "b", "c"])
    }

    // Covers 5.68, 8.25, 8.27
    @Test func resultsOfProjectionsAskTheModel() async throws {
        let realm = try await Cards.realm()
        try await realm.write { tx in
            let cards = tx.objects(Card.self)
            expectTrue(cards.count == 3 && cards.map(\.firstName) == ["Ann", "Bob", "Cid"])
            let byAge = cards.where { $0.age == 0 && $0.lastName != "Fox" }
            expectEqual(byAge.map(\.familyName), ["Ray"])
            expectEqual(cards.sorted(by: \.lastName).map(\.firstName), ["Cid", "Ann", "Bob"])
            let sorted = cards.sorted(by: .ascending(\.age), .descending(\.firstName))
            expectEqual(sorted.map(\.firstName), ["Cid", "Bob", "Ann"])
            expectEqual(cards.distinct(by: \.age).map(\.firstName), ["Ann", "Bob"])
            expectEqual(cards.limited(to: 1).first?.familyName, "Lee")
            // Names that only the projection has.
            expectEqual(cards.where { $0.homeCity == "Prague" }.map(\.firstName), ["Ann"])
            expectEqual(cards.sorted(by: \.familyName).first?.firstName, "Cid")
            let bob = try requireValue(cards.where { $0.firstName == "Bob" }.first)
            expectTrue(cards.index(of: bob) == 1 && bob.bossCity == "Prague")
            for card in cards { card.familyName = "X" }
            expectEqual(Set(tx.objects(Guest.self).map(\.lastName)), ["X"])
            try cards.setValue("Y", forKey: "lastName")
            expectEqual(tx.objects(Guest.self).first?.lastName, "Y")
        }
    }

    @Test func projectionsAreEqualByTheirObject() async throws {
        let (ann, bob) = (Guest(1, "Ann"), Guest(1, "Ann"))
        expectEqual(Card(projecting: ann), Card(projecting: ann))
        expectTrue(Card(projecting: ann) != Card(projecting: bob))
        expectEqual(Set([Card(projecting: ann), Card(projecting: ann)]).count, 1)
        let realm = try await Cards.realm()
        try await realm.write { tx in
            try tx.add(Cards.Note(value: ["text": "one"]))
            let (first, again) = (tx.objects(Card.self)[0], tx.objects(Card.self)[0])
            expectTrue(first == again && first !== again && first.hashValue == again.hashValue)
            expectTrue(first != tx.objects(Card.self)[1])
            expectTrue((first as ObjectBase) != Cards.LongCard(projecting: first.rootObject))
            expectTrue(first.isSameObject(as: again.rootObject))
            // Also if the model has no primary key.
            let lines = tx.objects(Cards.NoteLine.self)
            expectTrue(lines[0] == lines[0] && Set([lines[0], lines[0]]).count == 1)
        }
    }

    @Test func projectionsStandForTheirObjectInPredicates() async throws {
        let realm = try await Cards.realm()
        try await realm.write { tx in
            let note = try tx.create(Cards.Note.self, value: ["text": "one"])
            note.author = tx.object(Guest.self, forPrimaryKey: 1)
            let card = try requireValue(tx.object(Card.self, forPrimaryKey: 1))
            let other = try requireValue(tx.object(Card.self, forPrimaryKey: 2))
            let notes = tx.objects(Cards.Note.self)
            try expectEqual(notes.filter("author == %@", card).count, 1)
            try expectEqual(notes.filter("author IN %@", [other, card]).count, 1)
            try expectEqual(notes.filter("author != %@", card).count, 0)
            try expectEqual(notes.filter("author == %@", other).count, 0)
            let fans = try tx.objects(Guest.self).filter("ANY friends == %@", other)
            expectEqual(fans.map(\.firstName), ["Ann"])
        }
    }

    @Test func projectionOfADeletedObjectIsInvalid() async throws {
        let realm = try await Cards.realm()
        try await realm.write { tx in
            let card = try requireValue(tx.object(Card.self, forPrimaryKey: 1))
            let other = try requireValue(tx.object(Card.self, forPrimaryKey: 1))
            let names = card.friendNames
            expectTrue(!card.isInvalidated && !names.isInvalidated && names.isManaged)
            tx.delete(card)
            expectTrue(card.isInvalidated && other.isInvalidated && names.isInvalidated)
            expectNil(tx.object(Card.self, forPrimaryKey: 1))
            expectEqual(card.description, "Card { deleted }")
            tx.delete(tx.objects(Card.self))
            expectTrue(tx.objects(Guest.self).isEmpty)
        }
    }

    @Test func descriptionShowsWhatTheProjectionNames() {
        let ann = Guest(1, "Ann", "Lee")
        ann.friends.append(Guest(2, "Bob"))
        expectEqual(
            Card(projecting: ann).description,
            """
            Card {
                firstName = Ann
                familyName = Lee
                homeCity = nil
                bossCity = nil
                friendNames = ProjectedCollection (
                    [0] Bob
                )
            }
            """)
        expectTrue(Card(projecting: ann).friendNames.description.contains("[0] Bob"))
    }

    @Test func propertiesCanBeNamedByTheModel() async throws {
        let realm = try await Cards.realm()
        try await realm.write { tx in
            let card = try requireValue(tx.object(Card.self, forPrimaryKey: 1))
            expectEqual(card["lastName"] as? String, "Lee")
            card["lastName"] = "Fox"
            expectEqual(card.familyName, "Fox")
            // Where a value is decomposed, a projection stands for its object.
            let copy = Guest(value: card as Any)
            expectTrue(copy.lastName == "Fox" && copy.address?.city == "Prague")
        }
    }

    // Covers 8.29
    @Test func wrongDeclarationsAreToldTogether() async throws {
        let realm = try await Realm.temporary(Cards.types)
        let astray = await #expect(throws: Realm.Error.self) {
            try await realm.read { tx in _ = tx.objects(Cards.Astray.self) }
        }
        expectTrue(astray?.code == .invalidInput && astray?.className == "Astray")
        expectEqual(astray?.property, "visits")
        let lines = astray?.message.split(separator: "\n") ?? []
        expectEqual(lines.count, 2)
        expectTrue(lines[0].hasPrefix("Astray.visits does not lead to a stored property of Guest"))
        expectTrue(lines[1].hasPrefix("Astray.managed does not lead to"))
        let empty = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in _ = tx.object(Cards.Empty.self, forPrimaryKey: 1) }
        }
        expectEqual(empty?.message, "Empty has no @Projected properties.")
        var stream = realm.objects(Cards.Astray.self).changes.makeAsyncIterator()
        let streamed = await #expect(throws: Realm.Error.self) { _ = try await stream.next() }
        expectEqual(streamed?.message, astray?.message)
        let listed = await #expect(throws: Realm.Error.self) {
            _ = try await Realm.temporary(
                [Guest.self, Cards.Town.self, Cards.Astray.self, Cards.Empty.self])
        }
        expectEqual(listed?.message, "\(astray?.message ?? "")\n\(empty?.message ?? "")")
        let frozen = #expect(throws: Realm.Error.self) {
            try realm.snapshot().read { $0.objects(Cards.Astray.self).isEmpty }
        }
        expectEqual(frozen?.message, astray?.message)
    }

    @Test func projectionMayBeListedAndIsNotStored() async throws {
        let realm = try await Realm.temporary([Card.self, Guest.self, Cards.Town.self])
        try await realm.write { tx in try tx.add(Guest(1, "Ann")) }
        expectEqual(realm.snapshot().objects(Card.self).map(\.firstName), ["Ann"])
        expectEqual(realm.snapshot().objects(Guest.self).count, 1)
        final class Box: Object {
            @Persisted var card: Card?
            @Persisted var cards: List<Card>
        }
        let error = await #expect(throws: Realm.Error.self) {
            _ = try await Realm.temporary([Box.self])
        }
        let message = error?.message ?? ""
        expectTrue(message.contains(".card is of type Card?: a projection cannot be stored"))
        expectTrue(message.contains(".cards is of type List<Card>: a projection cannot be stored"))
    }
}

/// Misuse that the compiler can't detect traps with a message.
@Suite struct ProjectionTrapTests {
    // Covers 8.26
    @Test func whatCannotBeWrittenTraps() async {
        let city = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            Cards.Card(projecting: Cards.Guest(1, "Ann")).homeCity = "Brno"
        }
        expectTrue(
            sentence(city).contains("Card.homeCity cannot be assigned to: it shows address.city"))
        let ages = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let ann = Cards.Guest(1, "Ann")
            ann.friends.append(Cards.Guest(2, "Bob"))
            Cards.LongCard(projecting: ann).bossAges[0] = 3
        }
        expectTrue(
            sentence(ages).contains("Int>> cannot be assigned to: it shows boss.age of Guest "))
    }

    // Covers 8.26
    @Test func assignmentInAReadTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Cards.realm()
            try await realm.read { tx in tx.objects(Cards.Card.self)[0].familyName = "X" }
        }
        expectTrue(sentence(result).contains("Guest.lastName was set in the read at"))
    }

    private func sentence(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }
}

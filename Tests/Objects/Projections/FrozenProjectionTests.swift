import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Frozen projections: values that can be sent, kept and encoded.
@Suite struct FrozenProjectionTests {
    typealias Guest = Cards.Guest
    typealias Card = Cards.Card

    // Covers 5.68
    @Test func frozenViewModelShowsItsVersion() async throws {
        let realm = try await Cards.realm()
        let cards = realm.snapshot().objects(Card.self)
        let ann: Frozen<Card> = try requireValue(cards.first)
        try await realm.write { tx in tx.delete(tx.objects(Guest.self)) }
        let shown = await Task.detached {
            [ann.firstName, ann.familyName, ann.homeCity ?? "-", ann.greeting] + ann.friendNames
        }.value
        expectEqual(shown, ["Ann", "Lee", "Prague", "Dear Ann Lee", "Bob", "Cid"])
        expectEqual(cards.map(\.bossCity), [nil, "Prague", nil])
        expectEqual(cards.where { $0.age > 10 }.map(\.firstName), ["Ann"])
        expectEqual(cards.sorted(by: \.lastName).map(\.familyName), ["Fox", "Lee", "Ray"])
        expectTrue(cards.index(of: ann) == 0 && cards.contains(ann))
        expectTrue(ann.rowIdentity == cards[0].rowIdentity && ann == cards[0] && ann != cards[1])
        #expect(ann.description.hasPrefix("Card {\n    firstName = Ann\n"))
    }

    // Covers 8.23
    @Test func linksAndListsComeFrozen() async throws {
        let realm = try await Cards.realm()
        let snapshot = realm.snapshot()
        let ann = try requireValue(snapshot.object(Cards.LongCard.self, forPrimaryKey: 1))
        let bob = try requireValue(snapshot.object(Cards.LongCard.self, forPrimaryKey: 2))
        expectTrue(bob.boss?.firstName == "Ann" && ann.boss == nil)
        expectEqual(ann.friends.where { $0.lastName == "Fox" }.map(\.firstName), ["Cid"])
        expectTrue(Array(ann.tags) == ["a", "b"] && ann.fullName == "Ann Lee")
        expectTrue(bob.fans.map(\.firstName) == ["Ann"] && ann.address?.city == "Prague")
        expectEqual(ann.bossAges, [40, nil])
        expectTrue(ann.bossFriends == nil && bob.bossFriends == ["Bob", "Cid"])
    }

    // Covers 8.24
    @Test func projectionOfAFrozenObject() async throws {
        let realm = try await Cards.realm()
        let ann = try requireValue(realm.snapshot().object(Guest.self, forPrimaryKey: 1))
        expectEqual(Frozen<Card>(projecting: ann).homeCity, "Prague")
        let town = try requireValue(ann.address)
        expectEqual(Frozen<Cards.Place>(projecting: town).name, "Prague")
    }

    // Covers 8.28, 8.33
    @Test func freezeAndResolveKeepTheProjection() async throws {
        let realm = try await Cards.realm()
        let (frozen, results, names) = try await realm.write { tx in
            let card = try requireValue(tx.object(Card.self, forPrimaryKey: 1))
            let names = card.friendNames.freeze()
            card.firstName = "Anna"
            return (try card.freeze(), tx.objects(Card.self).freeze(), names)
        }
        expectTrue(frozen.firstName == "Ann" && results.first?.firstName == "Ann")
        expectEqual(names, ["Bob", "Cid"])
        try await realm.write { tx in
            let card: Card = try requireValue(tx.resolve(frozen))
            expectTrue(card.firstName == "Anna" && card.rootObject.isManaged)
            expectEqual(tx.resolve(results)?.count, 3)
            tx.delete(card)
            expectNil(tx.resolve(frozen))
        }
        let error = #expect(throws: Realm.Error.self) {
            _ = try Card(projecting: Guest(9, "Zed")).freeze()
        }
        expectTrue(error?.message.contains("Can't freeze an unmanaged Card") ?? false)
    }

    @Test func encodedByTheNamesOfTheProjection() async throws {
        let realm = try await Cards.realm()
        try expectEqual(
            json(realm.snapshot().objects(Card.self).prefix(2).map { $0 }),
            """
            [{"bossCity":null,"familyName":"Lee","firstName":"Ann",\
            "friendNames":["Bob","Cid"],"homeCity":"Prague"},\
            {"bossCity":"Prague","familyName":"Ray","firstName":"Bob","friendNames":[],\
            "homeCity":null}]
            """)
        let bob = try requireValue(realm.snapshot().object(Cards.LongCard.self, forPrimaryKey: 2))
        try await realm.write { tx in tx.object(Guest.self, forPrimaryKey: 1)?.boss = nil }
        try expectEqual(
            json(bob),
            """
            {"address":null,"bigBoss":null,"boss":1,"bossAges":[],"bossCity":"Prague",\
            "bossFriends":["Bob","Cid"],\
            "colleagues":[2,3],"familyName":"Ray","firstName":"Bob","friendNames":[],\
            "friends":[],"fullName":"Bob Ray","homeCity":null,"since":\(Self.time(bob.since)),\
            "tags":[]}
            """)
        let ann = try requireValue(realm.snapshot().object(Cards.LongCard.self, forPrimaryKey: 1))
        let text = try json(ann)
        expectTrue(text.contains(#""since":86400"#) && text.contains(#""bossAges":[40,null]"#))
        #expect(text.contains(#""address":{"city":"Prague","country":"CZ"}"#))
        #expect(try json(bob.encoded(linkDepth: 1)).contains(#""boss":{"address":{"city""#))
        try expectEqual(
            json(realm.snapshot().objects(Card.self)),
            json(realm.snapshot().objects(Card.self).map { $0 }))
    }

    private static func time(_ date: Date) -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        return String(decoding: (try? encoder.encode(date)) ?? Data(), as: UTF8.self)
    }

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .secondsSince1970
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

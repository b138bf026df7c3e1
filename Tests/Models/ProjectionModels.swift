import Foundation
import Regnum

/// Models and their projections, in a namespace of their own.
enum Cards {
    class Town: EmbeddedObject {
        @Persisted var city: String
        @Persisted var country: String
    }

    final class Guest: Object, Identifiable {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var firstName: String
        @Persisted var lastName: String
        @Persisted var age: Int
        @Persisted var address: Town?
        @Persisted var boss: Guest?
        @Persisted var friends: List<Guest>
        @Persisted var towns: List<Town>
        @Persisted var tags: List<String>
        @Persisted var joined: Date
        @Persisted(originProperty: "friends") var fans: LinkingObjects<Guest>
        var visits = 0

        var fullName: String { "\(firstName) \(lastName)" }
        var bossAge: Int? { boss?.age }
        var shout: String { firstName.uppercased() }
        var introduction: String {
            let place = "\(firstName), \(address?.city ?? "-")"
            return "\(place), \(boss?.firstName ?? "-"), \(boss?.address?.city ?? "-")"
        }
        var chief: String { "\(lastName), \(boss!.firstName)" }
        var seal: String { "\(firstName) \(isInvalidated ? "" : lastName)" }
        var oldChief: String { "\(lastName), \((try? boss?.freeze())?.firstName ?? "-")" }
        var friendAges: Int { friends.reduce(0) { $0 + $1.age } }
        var seniorCount: Int { friends.where { $0.age >= 60 }.count }
        var fanNames: String { fans.map(\.firstName).joined(separator: ", ") }
        var reach: Int { friends.reduce(1) { $0 + $1.reach } }
        var nickname: String {
            get { firstName }
            set { firstName = newValue }
        }

        convenience init(_ id: Int, _ firstName: String, _ lastName: String = "") {
            self.init()
            self.id = id
            self.firstName = firstName
            self.lastName = lastName
        }
    }

    /// A note without a primary key.
    final class Note: Object {
        @Persisted var text: String
        @Persisted var author: Guest?
    }

    class Card: Projection<Guest> {
        @Projected(\Guest.firstName) var firstName
        @Projected(\Guest.lastName) var familyName
        @Projected(\Guest.address?.city) var homeCity
        @Projected(\Guest.boss?.address?.city) var bossCity
        @Projected(\Guest.friends.projectTo.firstName) var friendNames: ProjectedCollection<String>
        var greeting: String { "Dear \(firstName) \(familyName)" }
    }

    /// All kinds of properties, and one inherited from a card.
    final class LongCard: Card {
        @Projected(\Guest.fullName) var fullName
        @Projected(\Guest.boss) var boss
        @Projected(\Guest.friends) var friends
        @Projected(\Guest.tags) var tags
        @Projected(\Guest.fans) var fans
        @Projected(\Guest.address) var address
        @Projected(\Guest.joined) var since
        @Projected(\Guest.boss?.friends) var colleagues
        @Projected(\Guest.boss?.boss) var bigBoss
        @Projected(\Guest.boss?.friends.projectTo.firstName)
        var bossFriends: ProjectedCollection<String>?
        @Projected(\Guest.friends.projectTo.bossAge) var bossAges: ProjectedCollection<Int?>
    }

    final class NoteLine: Projection<Note> {
        @Projected(\Note.text) var text
        @Projected(\Note.author?.firstName) var by
    }

    final class Place: Projection<Town> {
        @Projected(\Town.city) var name
    }

    final class Empty: Projection<Guest> {
        var nothing = 0
    }

    final class Astray: Projection<Guest> {
        @Projected(\Guest.firstName) var firstName
        @Projected(\Guest.visits) var visits
        @Projected(\Guest.isManaged) var managed
    }

    static let types: [ObjectBase.Type] = [Guest.self, Town.self, Note.self]

    static func town(_ city: String, _ country: String = "CZ") -> Town {
        Town(value: ["city": city, "country": country])
    }

    /// Ann (1) in Prague with the friends Bob (2) and Cid (3); Bob's boss is Ann.
    static func realm() async throws -> Realm {
        let realm = try await Realm.temporary(types)
        try await realm.write { tx in
            let (ann, bob) = (Guest(1, "Ann", "Lee"), Guest(2, "Bob", "Ray"))
            let cid = Guest(3, "Cid", "Fox")
            ann.address = town("Prague")
            ann.age = 40
            ann.tags.append(objectsIn: ["a", "b"])
            ann.joined = Date(timeIntervalSince1970: 86_400)
            try tx.add([ann, bob, cid])
            ann.friends.append(objectsIn: [bob, cid])
            bob.boss = ann
        }
        return realm
    }
}

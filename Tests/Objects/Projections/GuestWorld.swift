import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

/// Guests in plain Swift, and the changes of a history.
struct GuestWorld: Sendable {
    struct Town: Sendable {
        let number: Int
        var city: String
    }

    struct Guest: Sendable {
        var firstName = ""
        var lastName = ""
        var age = 0
        var town: Town?
        var boss: Int?
        var friends: [Int] = []
    }

    /// The names of a card's properties.
    static let names = ["firstName", "familyName", "homeCity", "bossCity", "friendNames"]

    private(set) var guests: [Int: Guest] = [:]
    private var nextGuest = 1
    private var nextTown = 1
    /// Properties of guests, and `city` of towns, that were set, even to equal values.
    private var set: [Int: Set<String>] = [:]
    private var setCities: Set<Int> = []
    /// Guests whose list was edited.
    private var edited: Set<Int> = []

    /// Starts tracking changes again.
    mutating func forget() {
        set = [:]
        setCities = []
        edited = []
    }

    /// Returns the guests that a query finds, in order of creation.
    func ids(_ finds: (Guest) -> Bool) -> [Int] {
        guests.filter { finds($0.value) }.keys.sorted()
    }

    func city(_ id: Int?) -> String? { id.flatMap { guests[$0] }?.town?.city }

    func friendNames(_ id: Int) -> [String] {
        guests[id]?.friends.compactMap { guests[$0]?.firstName } ?? []
    }

    /// Returns the names of a card's properties that must be reported for an existing guest, and
    /// those that may be: additionally, a list that was edited and is as before.
    func told(_ id: Int, since old: GuestWorld) -> (must: Set<String>, may: Set<String>) {
        guard let guest = guests[id], let before = old.guests[id] else { return ([], []) }
        var must: Set<String> = []
        let own = set[id] ?? []
        if own.contains("firstName") { must.insert("firstName") }
        if own.contains("lastName") { must.insert("familyName") }
        if hitsCity(id) { must.insert("homeCity") }
        if own.contains("boss") || guest.boss.map({ hitsCity($0) }) ?? false {
            must.insert("bossCity")
        }
        let isNamed = guest.friends.contains { set[$0]?.contains("firstName") ?? false }
        if guest.friends != before.friends || isNamed { must.insert("friendNames") }
        return (must, edited.contains(id) ? must.union(["friendNames"]) : must)
    }

    /// Whether the path from a guest to its city changed.
    private func hitsCity(_ id: Int) -> Bool {
        if set[id]?.contains("address") ?? false { return true }
        return guests[id]?.town.map { setCities.contains($0.number) } ?? false
    }

    private mutating func note(_ id: Int, _ property: String) {
        set[id, default: []].insert(property)
    }

    /// Makes one random edit, here and in a transaction.
    mutating func edit(_ tx: Transaction, _ random: inout SeededRandom) throws {
        let ids = guests.keys.sorted()
        guard let id = ids.randomElement(using: &random), random.next() % 8 > 0,
            let object = tx.object(Cards.Guest.self, forPrimaryKey: id), let guest = guests[id],
            let card = tx.object(Cards.Card.self, forPrimaryKey: id)
        else { return try add(tx, &random) }
        let word = ["x", "y", "z"].randomElement(using: &random) ?? ""
        switch random.next() % 14 {
        case 0:
            card.firstName = word
            guests[id]?.firstName = word
            note(id, "firstName")
        case 1:
            card.familyName = word
            guests[id]?.lastName = word
            note(id, "lastName")
        case 2, 3:
            object.age = Int(random.next() % 100)
            guests[id]?.age = object.age
        case 4:
            object.tags.append(word)
        case 5, 6:
            guard let town = guest.town else { return }
            object.address?.city = word
            guests[id]?.town?.city = word
            setCities.insert(town.number)
        case 7:
            object.address?.country = word
        case 8:
            let town = random.next() % 4 == 0 ? nil : Town(number: nextTown, city: word)
            nextTown += 1
            object.address = town.map { Cards.town($0.city) }
            guests[id]?.town = town
            note(id, "address")
        case 9, 10:
            let boss = random.next() % 4 == 0 ? nil : ids.randomElement(using: &random)
            object.boss = boss.flatMap { tx.object(Cards.Guest.self, forPrimaryKey: $0) }
            guests[id]?.boss = boss
            note(id, "boss")
        case 11:
            guard let friend = ids.randomElement(using: &random),
                let other = tx.object(Cards.Guest.self, forPrimaryKey: friend)
            else { return }
            object.friends.append(other)
            guests[id]?.friends.append(friend)
            edited.insert(id)
        case 12:
            guard !guest.friends.isEmpty else { return }
            let position = Int(random.next() % UInt64(guest.friends.count))
            if random.next() % 2 == 0 {
                object.friends.remove(at: position)
                guests[id]?.friends.remove(at: position)
                edited.insert(id)
            } else {
                card.friendNames[position] = word
                guests[guest.friends[position]]?.firstName = word
                note(guest.friends[position], "firstName")
            }
        default:
            // The first guest is never deleted.
            if id != 1, random.next() % 3 == 0 { delete(id, card, tx) }
        }
    }

    private mutating func add(_ tx: Transaction, _ random: inout SeededRandom) throws {
        let object = Cards.Guest(nextGuest, "guest \(nextGuest)", "of")
        object.age = Int(random.next() % 100)
        try tx.add(object)
        guests[nextGuest] = Guest(
            firstName: object.firstName, lastName: object.lastName, age: object.age)
        nextGuest += 1
    }

    private mutating func delete(_ id: Int, _ card: Cards.Card, _ tx: Transaction) {
        tx.delete(card)
        guests[id] = nil
        for (other, guest) in guests {
            if guest.boss == id {
                guests[other]?.boss = nil
                note(other, "boss")
            }
            if guest.friends.contains(id) {
                guests[other]?.friends.removeAll { $0 == id }
                edited.insert(other)
            }
        }
    }
}

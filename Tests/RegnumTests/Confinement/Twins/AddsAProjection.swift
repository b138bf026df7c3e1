import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Card: Projection<Person> {
    @Projected(\Person.name) var name
}

func twin(_ realm: Realm) async throws {
    try await realm.write { tx in
        let card = Card(projecting: Person())
        card.name = "Ann"
        try tx.add(card.rootObject)
    }
}

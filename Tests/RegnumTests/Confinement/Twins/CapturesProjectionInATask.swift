import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Card: Projection<Person> {
    @Projected(\Person.name) var name
}

func twin(_ realm: Realm) async throws {
    let cards = realm.snapshot().objects(Card.self)
    Task { print(cards[0].name) }
    print(cards[0].name)
}

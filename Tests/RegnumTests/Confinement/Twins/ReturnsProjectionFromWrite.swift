import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Card: Projection<Person> {
    @Projected(\Person.name) var name
}

func twin(_ realm: Realm) async throws {
    let card = try await realm.write { tx in try tx.objects(Card.self)[0].freeze() }
    Task.detached { print(card.name) }
}

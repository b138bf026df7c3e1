import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Card: Projection<Person> {
    @Projected(\Person.name) var name
}

func leak(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'ObjectBase' to 'Sendable' is unavailable}}
    let card = try await realm.write { tx in tx.objects(Card.self)[0] }
    print(card.name)
}

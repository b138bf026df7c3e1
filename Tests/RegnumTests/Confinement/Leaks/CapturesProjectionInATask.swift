import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Card: Projection<Person> {
    @Projected(\Person.name) var name
}

func leak(_ realm: Realm) async throws {
    try await realm.write { tx in
        let card = tx.objects(Card.self)[0]
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'card' which is accessible}}
        Task { print(card.name) }
        print(card.name)
    }
}

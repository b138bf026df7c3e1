import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Card: Projection<Person> {
    @Projected(\Person.name) var name
}

func leak(_ realm: Realm) async throws {
    try await realm.write { tx in
        // expected-error@+1 {{requires that 'Card' conform to 'Sequence'}}
        try tx.add(Card(projecting: Person()))
    }
}

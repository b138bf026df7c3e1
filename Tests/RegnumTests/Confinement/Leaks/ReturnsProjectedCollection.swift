import Regnum

final class Person: Object {
    @Persisted var name: String
    @Persisted var friends: List<Person>
}

final class Card: Projection<Person> {
    @Projected(\Person.friends.projectTo.name) var names: ProjectedCollection<String>
}

func leak(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'ProjectedCollection<Value>' to 'Sendable' is unavailable}}
    let names = try await realm.write { tx in tx.objects(Card.self)[0].names }
    print(names.count)
}

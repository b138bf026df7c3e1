import Regnum

final class Person: Object {
    @Persisted var name: String
}

func leak(_ realm: Realm, _ continuation: AsyncStream<Person>.Continuation) async throws {
    try await realm.read { tx in
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{task-isolated 'person' is passed}}
        for person in tx.objects(Person.self) { continuation.yield(person) }
    }
}

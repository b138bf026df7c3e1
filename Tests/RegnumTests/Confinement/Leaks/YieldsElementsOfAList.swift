import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func leak(_ realm: Realm, _ continuation: AsyncStream<Dog>.Continuation) async throws {
    try await realm.read { tx in
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{task-isolated 'dog' is passed as a 'sending' parameter; Uses in call}}
        for dog in tx.objects(Person.self)[0].dogs { continuation.yield(dog) }
    }
}

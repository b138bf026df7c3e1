import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func leak(_ realm: Realm) async throws {
    // expected-error@+1 {{cannot pass function of type '@concurrent (Transaction) async throws ->}}
    try await realm.read { tx in
        for dog in tx.objects(Person.self)[0].dogs {
            // expected-note@+1 {{'async' inferred from asynchronous operation used here}}
            try await Task.sleep(for: .seconds(1))
            print(dog.name)
        }
    }
}

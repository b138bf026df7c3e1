import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func leak(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'List<Element>' to 'Sendable' is unavailable}}
    let dogs = try await realm.read { tx in tx.objects(Person.self)[0].dogs }
    print(dogs.count)
}

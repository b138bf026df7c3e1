import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func leak(_ realm: Realm) async throws {
    // expected-error@+2 {{type '() -> Int' does not conform to the 'Sendable' protocol}}
    // expected-note@+1 {{a function type must be marked '@Sendable' to conform to 'Sendable'}}
    let count = try await realm.read { tx in
        let dogs = tx.objects(Person.self)[0].dogs
        return { dogs.count }
    }
    print(count())
}

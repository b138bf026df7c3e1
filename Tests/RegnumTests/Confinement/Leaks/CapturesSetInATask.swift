import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: MutableSet<Dog>
}

func leak(_ realm: Realm) async throws {
    try await realm.write { tx in
        let dogs = tx.objects(Person.self)[0].dogs
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'dogs' which is accessible to code in the current t}}
        Task { print(dogs.count) }
        dogs.removeAll()
    }
}

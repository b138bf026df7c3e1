import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

actor Keeper {
    // expected-note@+1 {{mutation of this property is only permitted within the actor}}
    var dogs: List<Dog>?

    func leak(_ realm: Realm) async throws {
        // expected-error@+1 {{actor-isolated property 'dogs' can not be mutated from a nonisolate}}
        try await realm.read { tx in self.dogs = tx.objects(Person.self).first?.dogs }
    }
}

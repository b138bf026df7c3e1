import Regnum

final class Person: Object {
    @Persisted var name: String
}

actor Keeper {
    // expected-note@+1 {{mutation of this property is only permitted within the actor}}
    var person: Person?

    func leak(_ realm: Realm) async throws {
        // expected-error@+1 {{actor-isolated property 'person' can not be mutated}}
        try await realm.read { tx in self.person = tx.objects(Person.self).first }
    }
}

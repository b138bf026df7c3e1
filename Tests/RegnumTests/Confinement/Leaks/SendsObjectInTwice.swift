import Regnum

final class Person: Object {
    @Persisted var name: String
}

func leak(_ realm: Realm) async throws {
    let person = Person()
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.write { tx in try tx.add(person) }
    // expected-note@+1 {{access can happen concurrently}}
    try await realm.write { tx in tx.delete(person) }
}

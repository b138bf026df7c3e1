import Regnum

final class Person: Object {
    @Persisted var name: String
}

func leak(_ realm: Realm, _ person: Person) async throws {
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{closure captures 'person' which is accessible}}
    try await realm.write { tx in try tx.add(person) }
}

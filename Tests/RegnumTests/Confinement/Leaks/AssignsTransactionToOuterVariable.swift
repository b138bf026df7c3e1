import Regnum

final class Person: Object {
    @Persisted var name: String
}

func leak(_ realm: Realm) async throws {
    var leaked: Transaction?
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.write { tx in leaked = tx }
    // expected-note@+1 {{access can happen concurrently}}
    print(leaked?.version ?? 0)
}

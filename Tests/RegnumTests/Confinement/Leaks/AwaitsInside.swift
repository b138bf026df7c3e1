import Regnum

final class Person: Object {
    @Persisted var name: String
}

func leak(_ realm: Realm) async throws {
    // expected-error@+1 {{to parameter expecting synchronous function type}}
    try await realm.write { tx in
        // expected-note@+1 {{'async' inferred from asynchronous operation used here}}
        try await Task.sleep(for: .seconds(1))
        try tx.add(Person())
    }
}

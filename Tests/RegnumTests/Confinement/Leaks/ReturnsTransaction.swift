import Regnum

final class Person: Object {
    @Persisted var name: String
}

func leak(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'Transaction' to 'Sendable' is unavailable}}
    let tx = try await realm.write { tx in tx }
    print(tx.version)
}

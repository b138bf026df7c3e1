import Regnum

final class Person: Object {
    @Persisted var name: String
}

func leak(_ realm: Realm) async throws {
    try await realm.write { tx in
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'tx' which is accessible}}
        Task { try tx.add(Person()) }
        print(tx.version)
    }
}

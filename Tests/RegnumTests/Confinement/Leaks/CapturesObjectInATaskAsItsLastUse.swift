import Regnum

final class Person: Object {
    @Persisted var name: String
}

func leak(_ realm: Realm) async throws {
    try await realm.write { tx in
        let person = tx.objects(Person.self)[0]
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'person' which is accessible}}
        Task.detached { print(person.name) }
    }
}

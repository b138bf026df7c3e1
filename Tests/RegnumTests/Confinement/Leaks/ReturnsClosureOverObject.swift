import Regnum

final class Person: Object {
    @Persisted var name: String
}

func leak(_ realm: Realm) async throws {
    // expected-error@+2 {{type '() -> String' does not conform to the 'Sendable' protocol}}
    // expected-note@+1 {{a function type must be marked '@Sendable' to conform to 'Sendable'}}
    let name = try await realm.read { tx in
        let person = tx.objects(Person.self)[0]
        return { person.name }
    }
    print(name())
}

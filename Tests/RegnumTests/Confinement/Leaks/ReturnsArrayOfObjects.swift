import Regnum

final class Person: Object {
    @Persisted var name: String
}

func leak(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'ObjectBase' to 'Sendable' is unavailable}}
    let people = try await realm.read { tx in Array(tx.objects(Person.self)) }
    print(people.count)
}

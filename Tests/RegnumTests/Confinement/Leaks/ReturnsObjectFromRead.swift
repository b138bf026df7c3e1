import Regnum

final class Person: Object {
    @Persisted var name: String
}

func leak(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'ObjectBase' to 'Sendable' is unavailable}}
    let person = try await realm.read { tx in tx.objects(Person.self).sorted(by: \.name)[0] }
    print(person.name)
}

import Regnum

final class Person: Object {
    @Persisted var name: String
    @Persisted var tags: MutableSet<String>
}

func leak(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'MutableSet<Element>' to 'Sendable' is unavailable}}
    let tags = try await realm.read { tx in tx.objects(Person.self)[0].tags }
    print(tags.count)
}

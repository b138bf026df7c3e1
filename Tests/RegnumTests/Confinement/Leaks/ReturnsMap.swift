import Regnum

final class Person: Object {
    @Persisted var name: String
    @Persisted var scores: Map<String, Int>
}

func leak(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'Map<Key, Value>' to 'Sendable' is unavailable}}
    let scores = try await realm.read { tx in tx.objects(Person.self)[0].scores }
    print(scores.count)
}

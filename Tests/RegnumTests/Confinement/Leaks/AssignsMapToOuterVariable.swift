import Regnum

final class Person: Object {
    @Persisted var name: String
    @Persisted var scores: Map<String, Int>
}

func leak(_ realm: Realm) async throws {
    var leaked: Map<String, Int>?
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.write { tx in leaked = tx.objects(Person.self).first?.scores }
    // expected-note@+1 {{access can happen concurrently}}
    print(leaked?.count ?? 0)
}

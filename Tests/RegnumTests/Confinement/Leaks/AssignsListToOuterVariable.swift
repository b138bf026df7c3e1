import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func leak(_ realm: Realm) async throws {
    var leaked: List<Dog>?
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.write { tx in leaked = tx.objects(Person.self).first?.dogs }
    // expected-note@+1 {{access can happen concurrently}}
    print(leaked?.count ?? 0)
}

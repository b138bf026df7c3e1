import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dog: Dog?
}

func leak(_ realm: Realm) async throws {
    var leaked: [Dog] = []
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.read { tx in leaked = tx.objects(Person.self).compactMap { $0.dog } }
    // expected-note@+1 {{access can happen concurrently}}
    print(leaked.count)
}

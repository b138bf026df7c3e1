import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Cache {
    var person: Person?
}

func leak(_ realm: Realm, _ cache: Cache) async throws {
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{closure captures 'cache' which is accessible}}
    try await realm.read { tx in cache.person = tx.objects(Person.self).first }
    print(cache.person?.name ?? "")
}

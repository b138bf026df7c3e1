import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dog: Dog?
}

func leak(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'ObjectBase' to 'Sendable' is unavailable}}
    let dog = try await realm.write { tx in tx.objects(Person.self)[0].dog }
    print(dog?.name ?? "-")
}

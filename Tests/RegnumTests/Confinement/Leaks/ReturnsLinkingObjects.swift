import Regnum

final class Dog: Object {
    @Persisted var name: String
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func leak(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'LinkingObjects<Element>' to 'Sendable' is unavailable}}
    let owners = try await realm.read { tx in tx.objects(Dog.self)[0].owners }
    print(owners.count)
}

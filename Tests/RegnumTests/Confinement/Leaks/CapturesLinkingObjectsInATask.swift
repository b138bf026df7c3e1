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
    try await realm.read { tx in
        let owners = tx.objects(Dog.self)[0].owners
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'owners' which is accessible to code in the current}}
        Task { print(owners.count) }
        print(owners.count)
    }
}

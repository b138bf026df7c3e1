import Regnum

final class Dog: Object {
    @Persisted var name: String
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func twin(_ realm: Realm) async throws {
    try await realm.read { tx in
        let owners = try tx.objects(Dog.self)[0].owners.freeze()
        Task { print(owners.count) }
        print(owners.count)
    }
}

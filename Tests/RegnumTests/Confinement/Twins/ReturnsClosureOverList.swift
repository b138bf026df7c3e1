import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func twin(_ realm: Realm) async throws {
    let count = try await realm.read { tx in
        let count = tx.objects(Person.self)[0].dogs.count
        return { @Sendable in count }
    }
    print(count())
}

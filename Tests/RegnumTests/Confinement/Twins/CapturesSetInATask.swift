import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: MutableSet<Dog>
}

func twin(_ realm: Realm) async throws {
    try await realm.write { tx in
        let dogs = tx.objects(Person.self)[0].dogs
        let count = dogs.count
        Task { print(count) }
        dogs.removeAll()
    }
}

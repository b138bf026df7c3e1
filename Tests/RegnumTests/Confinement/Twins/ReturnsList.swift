import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func twin(_ realm: Realm) async throws {
    let dogs = try await realm.read { tx in try tx.objects(Person.self)[0].dogs.freeze() }
    print(dogs.count)
}

import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func twin(_ realm: Realm) async throws {
    for dog in realm.snapshot().objects(Person.self)[0].dogs {
        try await Task.sleep(for: .seconds(1))
        print(dog.name)
    }
}

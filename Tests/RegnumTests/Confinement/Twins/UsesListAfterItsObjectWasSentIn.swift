import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func twin(_ realm: Realm) async throws {
    let person = Person()
    let dogs = person.dogs
    dogs.append(Dog())
    try await realm.write { tx in try tx.add(person) }
}

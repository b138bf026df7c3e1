import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm) async throws {
    let person = realm.snapshot().objects(Person.self)[0]
    Task.detached { print(person.name) }
}

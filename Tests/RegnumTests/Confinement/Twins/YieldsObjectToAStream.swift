import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm, _ continuation: AsyncStream<Frozen<Person>>.Continuation) async throws {
    for person in realm.snapshot().objects(Person.self) { continuation.yield(person) }
}

import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm) async throws {
    let person = Person()
    person.name = "Ann"
    try await realm.write { tx in try tx.add(person) }
}

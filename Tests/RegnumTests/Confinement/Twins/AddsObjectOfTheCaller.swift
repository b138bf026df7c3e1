import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm, _ person: sending Person) async throws {
    try await realm.write { tx in try tx.add(person) }
}

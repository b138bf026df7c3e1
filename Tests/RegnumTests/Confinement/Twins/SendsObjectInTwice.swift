import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm) async throws {
    try await realm.write { tx in try tx.add(Person()) }
    try await realm.write { tx in tx.delete(tx.objects(Person.self)) }
}

import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm) async throws {
    let count = try await realm.read { tx in tx.objects(Person.self).count }
    print(count, realm.snapshot().objects(Person.self).count)
}

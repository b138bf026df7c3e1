import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm) async throws {
    let name = try await realm.read { tx in tx.objects(Person.self).first?.name }
    print(name ?? "")
}

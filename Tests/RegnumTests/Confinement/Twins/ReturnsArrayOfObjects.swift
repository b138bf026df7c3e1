import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm) async throws {
    let names = try await realm.read { tx in tx.objects(Person.self).map(\.name) }
    print(names)
}

import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm) async throws {
    let name = try await realm.write { tx in tx.objects(Person.self)[0].name }
    print(name)
}

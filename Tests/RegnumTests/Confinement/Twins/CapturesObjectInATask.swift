import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm) async throws {
    try await realm.write { tx in
        let name = tx.objects(Person.self)[0].name
        Task { print(name) }
    }
}

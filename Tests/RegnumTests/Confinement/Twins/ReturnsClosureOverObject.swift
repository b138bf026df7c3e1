import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm) async throws {
    let name = try await realm.read { tx in
        let name = tx.objects(Person.self)[0].name
        return { @Sendable in name }
    }
    print(name())
}

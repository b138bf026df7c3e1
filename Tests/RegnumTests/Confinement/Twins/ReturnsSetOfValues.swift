import Regnum

final class Person: Object {
    @Persisted var name: String
    @Persisted var tags: MutableSet<String>
}

func twin(_ realm: Realm) async throws {
    let tags = try await realm.read { tx in Array(tx.objects(Person.self)[0].tags) }
    print(tags.count)
}

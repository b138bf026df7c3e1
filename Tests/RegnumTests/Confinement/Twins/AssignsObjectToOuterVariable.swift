import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm) async throws {
    let kept = try await realm.write { tx in tx.objects(Person.self).first?.name }
    print(kept ?? "")
}

import Regnum

final class Person: Object {
    @Persisted var name: String
    @Persisted var scores: Map<String, Int>
}

func twin(_ realm: Realm) async throws {
    let kept = try await realm.write { tx in tx.objects(Person.self).first?.scores.count }
    print(kept ?? 0)
}

import Regnum

final class Person: Object {
    @Persisted var name: String
    @Persisted var scores: Map<String, Int>
}

func twin(_ realm: Realm) async throws {
    let scores = try await realm.read { tx in try tx.objects(Person.self)[0].scores.freeze() }
    print(scores.count)
}

import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func twin(_ realm: Realm) async throws {
    let kept = try await realm.write { tx in tx.objects(Person.self).first?.dogs.count }
    print(kept ?? 0)
}

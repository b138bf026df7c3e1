import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dog: Dog?
}

func twin(_ realm: Realm) async throws {
    let names = try await realm.read { tx in tx.objects(Person.self).compactMap { $0.dog?.name } }
    print(names.count)
}

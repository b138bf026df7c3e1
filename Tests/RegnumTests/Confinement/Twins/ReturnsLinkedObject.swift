import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dog: Dog?
}

func twin(_ realm: Realm) async throws {
    let dog = try await realm.write { tx in tx.objects(Person.self)[0].dog?.name }
    print(dog ?? "-")
}

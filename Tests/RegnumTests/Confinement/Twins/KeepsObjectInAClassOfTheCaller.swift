import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Cache {
    var person: Frozen<Person>?
}

func twin(_ realm: Realm, _ cache: Cache) async throws {
    cache.person = realm.snapshot().objects(Person.self).first
    print(cache.person?.name ?? "")
}

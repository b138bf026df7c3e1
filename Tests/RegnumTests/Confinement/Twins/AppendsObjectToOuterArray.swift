import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm) async throws {
    let people = realm.snapshot().objects(Person.self)
    var kept: [Frozen<Person>] = []
    for person in people { kept.append(person) }
    print(kept.count)
}

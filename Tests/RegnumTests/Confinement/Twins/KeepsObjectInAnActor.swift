import Regnum

final class Person: Object {
    @Persisted var name: String
}

actor Keeper {
    var person: Frozen<Person>?

    func twin(_ realm: Realm) async throws {
        person = realm.snapshot().objects(Person.self).first
    }
}

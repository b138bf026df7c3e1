import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

actor Keeper {
    var dogs: FrozenResults<Dog>?

    func twin(_ realm: Realm) async throws {
        dogs = realm.snapshot().objects(Person.self).first?.dogs
    }
}

import Regnum

final class Dog: Object {
    @Persisted var name: String
    @Persisted var age: Int
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func twinFiltered(_ realm: Realm) async throws {
    let dogs = try await realm.read { tx in
        tx.objects(Dog.self).where { $0.name == "Rex" }.freeze()
    }
    print(dogs.count)
}

func twinSorted(_ realm: Realm) async throws {
    let dogs = try await realm.read { tx in tx.objects(Dog.self).sorted(by: \.name).freeze() }
    print(dogs.count)
}

func twinSortedList(_ realm: Realm) async throws {
    let dogs = try await realm.read { tx in
        tx.objects(Person.self)[0].dogs.sorted(by: \.age, ascending: false).freeze()
    }
    print(dogs.count)
}

func twinDistinct(_ realm: Realm) async throws {
    let dogs = try await realm.read { tx in tx.objects(Dog.self).distinct(by: \.age).freeze() }
    print(dogs.count)
}

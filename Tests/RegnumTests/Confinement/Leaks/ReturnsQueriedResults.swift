import Regnum

final class Dog: Object {
    @Persisted var name: String
    @Persisted var age: Int
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

// One name, one method for each type of collection: of two the compiler would take the one that makes the
// closure return nothing, and speak of that.

func leakFiltered(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'Results<Model>' to 'Sendable' is unavailable}}
    let dogs = try await realm.read { tx in tx.objects(Dog.self).where { $0.name == "Rex" } }
    print(dogs.count)
}

func leakSorted(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'Results<Model>' to 'Sendable' is unavailable}}
    let dogs = try await realm.read { tx in tx.objects(Dog.self).sorted(by: \.name) }
    print(dogs.count)
}

func leakSortedList(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'Results<Model>' to 'Sendable' is unavailable}}
    let dogs = try await realm.read { tx in
        tx.objects(Person.self)[0].dogs.sorted(by: \.age, ascending: false)
    }
    print(dogs.count)
}

func leakDistinct(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'Results<Model>' to 'Sendable' is unavailable}}
    let dogs = try await realm.read { tx in tx.objects(Dog.self).distinct(by: \.age) }
    print(dogs.count)
}

import Regnum

final class Dog: Object {
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dog: Dog?
    @Persisted var dogs: List<Dog>
    @Persisted var friends: List<Person>
    @Persisted var nicknames: MutableSet<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var tag: Tag?
    @Persisted var tags: List<String>
}

final class Tag: EmbeddedObject {
    @Persisted var text: String
}

final class Card: Projection<Person> {
    @Projected(\Person.name) var name
    @Projected(\Person.friends.projectTo.name) var names: ProjectedCollection<String>
}

func returnsObjectFromRead(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'ObjectBase' to 'Sendable' is unavailable}}
    let person = try await realm.read { tx in tx.objects(Person.self).sorted(by: \.name)[0] }
    print(person.name)
}

func returnsObjectFromWrite(_ realm: Realm) async throws {
    // expected-warning@+2 {{constant 'person' inferred to have type '()'}}
    // expected-note@+1 {{add an explicit type annotation}}
    let person = try await realm.write { tx in tx.objects(Person.self)[0] }
    // expected-error@+1 {{value of tuple type '()' has no member 'name'}}
    print(person.name)
}

func returnsLinkedObject(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'ObjectBase' to 'Sendable' is unavailable}}
    let dog = try await realm.write { tx in tx.objects(Person.self)[0].dog }
    print(dog?.name ?? "-")
}

func returnsEmbeddedObject(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'ObjectBase' to 'Sendable' is unavailable}}
    let tag = try await realm.write { tx in tx.objects(Person.self)[0].tag }
    print(tag?.text ?? "-")
}

func returnsProjectionFromWrite(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'ObjectBase' to 'Sendable' is unavailable}}
    let card: Card = try await realm.write { tx in tx.objects(Card.self)[0] }
    print(card.name)
}

func returnsTransaction(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'Transaction' to 'Sendable' is unavailable}}
    let tx = try await realm.write { tx in tx }
    print(tx.version)
}

func returnsClosureOverObject(_ realm: Realm) async throws {
    // expected-error@+2 {{type '() -> String' does not conform to the 'Sendable' protocol}}
    // expected-note@+1 {{a function type must be marked '@Sendable' to conform to 'Sendable'}}
    let name = try await realm.read { tx in
        let person = tx.objects(Person.self)[0]
        return { person.name }
    }
    print(name())
}

func returnsClosureOverList(_ realm: Realm) async throws {
    // expected-error@+2 {{type '() -> Int' does not conform to the 'Sendable' protocol}}
    // expected-note@+1 {{a function type must be marked '@Sendable' to conform to 'Sendable'}}
    let count = try await realm.read { tx in
        let dogs = tx.objects(Person.self)[0].dogs
        return { dogs.count }
    }
    print(count())
}

func returnsArrayOfObjects(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'ObjectBase' to 'Sendable' is unavailable}}
    let people = try await realm.read { tx in Array(tx.objects(Person.self)) }
    print(people.count)
}

func returnsList(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'List<Element>' to 'Sendable' is unavailable}}
    let dogs = try await realm.read { tx in tx.objects(Person.self)[0].dogs }
    print(dogs.count)
}

func returnsListOfValues(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'List<Element>' to 'Sendable' is unavailable}}
    let tags = try await realm.read { tx in tx.objects(Person.self)[0].tags }
    print(tags.count)
}

func returnsSetOfValues(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'MutableSet<Element>' to 'Sendable' is unavailable}}
    let nicknames = try await realm.read { tx in tx.objects(Person.self)[0].nicknames }
    print(nicknames.count)
}

func returnsMap(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'Map<Key, Value>' to 'Sendable' is unavailable}}
    let scores = try await realm.read { tx in tx.objects(Person.self)[0].scores }
    print(scores.count)
}

func returnsLinkingObjects(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'LinkingObjects<Element>' to 'Sendable' is unavailable}}
    let owners = try await realm.read { tx in tx.objects(Dog.self)[0].owners }
    print(owners.count)
}

func returnsProjectedCollection(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'ProjectedCollection<Value>' to 'Sendable' is unavailable}}
    let names = try await realm.write { tx in tx.objects(Card.self)[0].names }
    print(names.count)
}

func returnsResults(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'Results<Model>' to 'Sendable' is unavailable}}
    let people = try await realm.read { tx in tx.objects(Person.self) }
    print(people.count)
}

func returnsResultsOfAList(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'Results<Model>' to 'Sendable' is unavailable}}
    let dogs = try await realm.read { tx in
        tx.objects(Person.self)[0].dogs.where { $0.name == "Rex" }
    }
    print(dogs.count)
}

// `where`, `sorted` and `distinct` must not be overloaded on a collection type: given two
// overloads, the compiler picks the one that makes the closure return `Void` and reports that.
func returnsFilteredResults(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'Results<Model>' to 'Sendable' is unavailable}}
    let dogs = try await realm.read { tx in tx.objects(Dog.self).where { $0.name == "Rex" } }
    print(dogs.count)
}

func returnsSortedResults(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'Results<Model>' to 'Sendable' is unavailable}}
    let dogs = try await realm.read { tx in tx.objects(Dog.self).sorted(by: \.name) }
    print(dogs.count)
}

func returnsSortedResultsOfAList(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'Results<Model>' to 'Sendable' is unavailable}}
    let dogs = try await realm.read { tx in
        tx.objects(Person.self)[0].dogs.sorted(by: \.age, ascending: false)
    }
    print(dogs.count)
}

func returnsDistinctResults(_ realm: Realm) async throws {
    // expected-error@+1 {{conformance of 'Results<Model>' to 'Sendable' is unavailable}}
    let dogs = try await realm.read { tx in tx.objects(Dog.self).distinct(by: \.age) }
    print(dogs.count)
}

// The type checker accepts these leaks; only the region checks, which run later, reject them. A
// type error anywhere in this file would stop the compiler before it gets there.
import Regnum

final class Dog: Object {
    @Persisted var name: String
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dog: Dog?
    @Persisted var dogs: List<Dog>
    @Persisted var pets: MutableSet<Dog>
    @Persisted var scores: Map<String, Int>
    @Persisted var tag: Tag?
}

final class Tag: EmbeddedObject {
    @Persisted var text: String
}

final class Card: Projection<Person> {
    @Projected(\Person.name) var name
}

final class Cache {
    var person: Person?
    var frozenPerson: Frozen<Person>?
}

func addsObjectOfTheCaller(_ realm: Realm, _ person: Person) async throws {
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{closure captures 'person' which is accessible}}
    try await realm.write { tx in try tx.add(person) }
}

func sendsObjectInTwice(_ realm: Realm) async throws {
    let person = Person()
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.write { tx in try tx.add(person) }
    // expected-note@+1 {{access can happen concurrently}}
    try await realm.write { tx in tx.delete(person) }
}

func sendsTransactionAway(_ realm: Realm) async throws {
    try await realm.write { tx in
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'tx' which is accessible}}
        Task { try tx.add(Person()) }
        print(tx.version)
    }
}

func usesObjectAfterItWasSentIn(_ realm: Realm) async throws {
    let person = Person()
    person.name = "Ann"
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.write { tx in try tx.add(person) }
    // expected-note@+1 {{access can happen concurrently}}
    print(person.name)
}

func usesEmbeddedObjectAfterItWasSentIn(_ realm: Realm) async throws {
    let person = Person()
    let tag = Tag()
    person.tag = tag
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.write { tx in try tx.add(person) }
    // expected-note@+1 {{access can happen concurrently}}
    print(tag.text)
}

func usesListAfterItsObjectWasSentIn(_ realm: Realm) async throws {
    let person = Person()
    let dogs = person.dogs
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.write { tx in try tx.add(person) }
    // expected-note@+1 {{access can happen concurrently}}
    dogs.append(Dog())
}

func assignsObjectToOuterVariable(_ realm: Realm) async throws {
    var leaked: Person?
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.write { tx in leaked = tx.objects(Person.self).first }
    // expected-note@+1 {{access can happen concurrently}}
    print(leaked?.name ?? "")
}

func assignsListToOuterVariable(_ realm: Realm) async throws {
    var leaked: List<Dog>?
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.write { tx in leaked = tx.objects(Person.self).first?.dogs }
    // expected-note@+1 {{access can happen concurrently}}
    print(leaked?.count ?? 0)
}

func assignsMapToOuterVariable(_ realm: Realm) async throws {
    var leaked: Map<String, Int>?
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.write { tx in leaked = tx.objects(Person.self).first?.scores }
    // expected-note@+1 {{access can happen concurrently}}
    print(leaked?.count ?? 0)
}

func assignsTransactionToOuterVariable(_ realm: Realm) async throws {
    var leaked: Transaction?
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.write { tx in leaked = tx }
    // expected-note@+1 {{access can happen concurrently}}
    print(leaked?.version ?? 0)
}

func appendsObjectToOuterArray(_ realm: Realm) async throws {
    var leaked: [Person] = []
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.read { tx in
        for person in tx.objects(Person.self) { leaked.append(person) }
    }
    // expected-note@+1 {{access can happen concurrently}}
    print(leaked.count)
}

func appendsLinkedObjectsToOuterArray(_ realm: Realm) async throws {
    var leaked: [Dog] = []
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.read { tx in leaked = tx.objects(Person.self).compactMap { $0.dog } }
    // expected-note@+1 {{access can happen concurrently}}
    print(leaked.count)
}

func keepsObjectInAClassOfTheCaller(_ realm: Realm, _ cache: Cache) async throws {
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{closure captures 'cache' which is accessible}}
    try await realm.read { tx in cache.person = tx.objects(Person.self).first }
    print(cache.person?.name ?? "")
}

final class KeepsEmbeddedObjectInAClassOfTheCaller {
    var tag: Tag?

    func keep(_ realm: Realm) async throws {
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'self' which is accessible to code in the current t}}
        try await realm.write { tx in self.tag = tx.objects(Person.self).first?.tag }
        print(tag?.text ?? "-")
    }
}

func capturesObjectInATask(_ realm: Realm) async throws {
    try await realm.write { tx in
        let person = tx.objects(Person.self)[0]
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'person' which is accessible}}
        Task { print(person.name) }
        tx.delete(person)
    }
}

func capturesObjectInATaskAsItsLastUse(_ realm: Realm) async throws {
    try await realm.write { tx in
        let person = tx.objects(Person.self)[0]
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'person' which is accessible}}
        Task.detached { print(person.name) }
    }
}

func capturesEmbeddedObjectInADetachedTask(_ realm: Realm) async throws {
    try await realm.write { tx in
        let tag = tx.objects(Person.self)[0].tag
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'tag' which is accessible to code in the current ta}}
        Task.detached { print(tag?.text ?? "-") }
        tag?.text = "new"
    }
}

func capturesListInATask(_ realm: Realm) async throws {
    try await realm.write { tx in
        let dogs = tx.objects(Person.self)[0].dogs
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'dogs' which is accessible to code in the current t}}
        Task { print(dogs.count) }
        dogs.removeAll()
    }
}

func capturesSetInATask(_ realm: Realm) async throws {
    try await realm.write { tx in
        let dogs = tx.objects(Person.self)[0].pets
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'dogs' which is accessible to code in the current t}}
        Task { print(dogs.count) }
        dogs.removeAll()
    }
}

func capturesLinkingObjectsInATask(_ realm: Realm) async throws {
    try await realm.read { tx in
        let owners = tx.objects(Dog.self)[0].owners
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'owners' which is accessible to code in the current}}
        Task { print(owners.count) }
        print(owners.count)
    }
}

func capturesProjectionInATask(_ realm: Realm) async throws {
    try await realm.write { tx in
        let card = tx.objects(Card.self)[0]
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'card' which is accessible}}
        Task { print(card.name) }
        print(card.name)
    }
}

func yieldsObjectToAStream(
    _ realm: Realm, _ continuation: AsyncStream<Person>.Continuation
) async throws {
    try await realm.read { tx in
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{task-isolated 'person' is passed}}
        for person in tx.objects(Person.self) { continuation.yield(person) }
    }
}

func yieldsElementsOfAList(
    _ realm: Realm, _ continuation: AsyncStream<Dog>.Continuation
) async throws {
    try await realm.read { tx in
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{task-isolated 'dog' is passed as a 'sending' parameter; Uses in call}}
        for dog in tx.objects(Person.self)[0].dogs { continuation.yield(dog) }
    }
}

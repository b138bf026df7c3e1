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

func addsObjectOfTheCaller(_ realm: Realm, _ person: sending Person) async throws {
    try await realm.write { tx in try tx.add(person) }
}

func sendsObjectInTwice(_ realm: Realm) async throws {
    try await realm.write { tx in try tx.add(Person()) }
    try await realm.write { tx in tx.delete(tx.objects(Person.self)) }
}

func sendsTransactionAway(_ realm: Realm) async throws {
    let version = try await realm.write { tx in tx.version }
    Task { print(version) }
}

func usesObjectAfterItWasSentIn(_ realm: Realm) async throws {
    let person = Person()
    person.name = "Ann"
    try await realm.write { tx in try tx.add(person) }
}

func usesEmbeddedObjectAfterItWasSentIn(_ realm: Realm) async throws {
    let person = Person()
    let tag = Tag()
    person.tag = tag
    print(tag.text)
    try await realm.write { tx in try tx.add(person) }
}

func usesListAfterItsObjectWasSentIn(_ realm: Realm) async throws {
    let person = Person()
    let dogs = person.dogs
    dogs.append(Dog())
    try await realm.write { tx in try tx.add(person) }
}

func assignsObjectToOuterVariable(_ realm: Realm) async throws {
    let kept = try await realm.write { tx in tx.objects(Person.self).first?.name }
    print(kept ?? "")
}

func assignsListToOuterVariable(_ realm: Realm) async throws {
    let kept = try await realm.write { tx in tx.objects(Person.self).first?.dogs.count }
    print(kept ?? 0)
}

func assignsMapToOuterVariable(_ realm: Realm) async throws {
    let kept = try await realm.write { tx in tx.objects(Person.self).first?.scores.count }
    print(kept ?? 0)
}

func assignsTransactionToOuterVariable(_ realm: Realm) async throws {
    let kept = try await realm.write { tx in tx.version }
    print(kept)
}

func appendsObjectToOuterArray(_ realm: Realm) async throws {
    let people = realm.snapshot().objects(Person.self)
    var kept: [Frozen<Person>] = []
    for person in people { kept.append(person) }
    print(kept.count)
}

func appendsLinkedObjectsToOuterArray(_ realm: Realm) async throws {
    let names = try await realm.read { tx in tx.objects(Person.self).compactMap { $0.dog?.name } }
    print(names.count)
}

func keepsObjectInAClassOfTheCaller(_ realm: Realm, _ cache: Cache) async throws {
    cache.frozenPerson = realm.snapshot().objects(Person.self).first
    print(cache.frozenPerson?.name ?? "")
}

final class KeepsEmbeddedObjectInAClassOfTheCaller {
    var tag: Frozen<Tag>?

    func keep(_ realm: Realm) async throws {
        tag = try await realm.write { tx in try tx.objects(Person.self).first?.tag?.freeze() }
        print(tag?.text ?? "-")
    }
}

func capturesObjectInATask(_ realm: Realm) async throws {
    try await realm.write { tx in
        let name = tx.objects(Person.self)[0].name
        Task { print(name) }
    }
}

func capturesObjectInATaskAsItsLastUse(_ realm: Realm) async throws {
    let person = realm.snapshot().objects(Person.self)[0]
    Task.detached { print(person.name) }
}

func capturesEmbeddedObjectInADetachedTask(_ realm: Realm) async throws {
    try await realm.write { tx in
        let tag = try tx.objects(Person.self)[0].tag?.freeze()
        Task.detached { print(tag?.text ?? "-") }
    }
}

func capturesListInATask(_ realm: Realm) async throws {
    try await realm.write { tx in
        let dogs = tx.objects(Person.self)[0].dogs
        let count = dogs.count
        Task { print(count) }
        dogs.removeAll()
    }
}

func capturesSetInATask(_ realm: Realm) async throws {
    try await realm.write { tx in
        let dogs = tx.objects(Person.self)[0].pets
        let count = dogs.count
        Task { print(count) }
        dogs.removeAll()
    }
}

func capturesLinkingObjectsInATask(_ realm: Realm) async throws {
    try await realm.read { tx in
        let owners = try tx.objects(Dog.self)[0].owners.freeze()
        Task { print(owners.count) }
        print(owners.count)
    }
}

func capturesProjectionInATask(_ realm: Realm) async throws {
    let cards = realm.snapshot().objects(Card.self)
    Task { print(cards[0].name) }
    print(cards[0].name)
}

func yieldsObjectToAStream(
    _ realm: Realm, _ continuation: AsyncStream<Frozen<Person>>.Continuation
) async throws {
    for person in realm.snapshot().objects(Person.self) { continuation.yield(person) }
}

func yieldsElementsOfAList(
    _ realm: Realm, _ continuation: AsyncStream<Frozen<Dog>>.Continuation
) async throws {
    for dog in realm.snapshot().objects(Person.self)[0].dogs { continuation.yield(dog) }
}

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
    let name = try await realm.read { tx in tx.objects(Person.self).first?.name }
    print(name ?? "")
}

func returnsObjectFromWrite(_ realm: Realm) async throws {
    let name = try await realm.write { tx in tx.objects(Person.self)[0].name }
    print(name)
}

func returnsLinkedObject(_ realm: Realm) async throws {
    let dog = try await realm.write { tx in tx.objects(Person.self)[0].dog?.name }
    print(dog ?? "-")
}

func returnsEmbeddedObject(_ realm: Realm) async throws {
    let tag = try await realm.write { tx in try tx.objects(Person.self)[0].tag?.freeze() }
    print(tag?.text ?? "-")
}

func returnsProjectionFromWrite(_ realm: Realm) async throws {
    let card = try await realm.write { tx in try tx.objects(Card.self)[0].freeze() }
    Task.detached { print(card.name) }
}

func returnsTransaction(_ realm: Realm) async throws {
    let version = try await realm.write { tx in tx.version }
    print(version)
}

func returnsClosureOverObject(_ realm: Realm) async throws {
    let name = try await realm.read { tx in
        let name = tx.objects(Person.self)[0].name
        return { @Sendable in name }
    }
    print(name())
}

func returnsClosureOverList(_ realm: Realm) async throws {
    let count = try await realm.read { tx in
        let count = tx.objects(Person.self)[0].dogs.count
        return { @Sendable in count }
    }
    print(count())
}

func returnsArrayOfObjects(_ realm: Realm) async throws {
    let names = try await realm.read { tx in tx.objects(Person.self).map(\.name) }
    print(names)
}

func returnsList(_ realm: Realm) async throws {
    let dogs = try await realm.read { tx in try tx.objects(Person.self)[0].dogs.freeze() }
    print(dogs.count)
}

func returnsListOfValues(_ realm: Realm) async throws {
    let tags = try await realm.read { tx in Array(tx.objects(Person.self)[0].tags) }
    print(tags.count)
}

func returnsSetOfValues(_ realm: Realm) async throws {
    let nicknames = try await realm.read { tx in Array(tx.objects(Person.self)[0].nicknames) }
    print(nicknames.count)
}

func returnsMap(_ realm: Realm) async throws {
    let scores = try await realm.read { tx in try tx.objects(Person.self)[0].scores.freeze() }
    print(scores.count)
}

func returnsLinkingObjects(_ realm: Realm) async throws {
    let owners = try await realm.read { tx in try tx.objects(Dog.self)[0].owners.freeze() }
    print(owners.count)
}

func returnsProjectedCollection(_ realm: Realm) async throws {
    let names = try await realm.write { tx in tx.objects(Card.self)[0].names.freeze() }
    print(names.count)
}

func returnsResults(_ realm: Realm) async throws {
    let count = try await realm.read { tx in tx.objects(Person.self).count }
    print(count, realm.snapshot().objects(Person.self).count)
}

func returnsResultsOfAList(_ realm: Realm) async throws {
    let dogs = try await realm.read { tx in
        tx.objects(Person.self)[0].dogs.where { $0.name == "Rex" }.freeze()
    }
    print(dogs.count)
}

func returnsFilteredResults(_ realm: Realm) async throws {
    let dogs = try await realm.read { tx in
        tx.objects(Dog.self).where { $0.name == "Rex" }.freeze()
    }
    print(dogs.count)
}

func returnsSortedResults(_ realm: Realm) async throws {
    let dogs = try await realm.read { tx in tx.objects(Dog.self).sorted(by: \.name).freeze() }
    print(dogs.count)
}

func returnsSortedResultsOfAList(_ realm: Realm) async throws {
    let dogs = try await realm.read { tx in
        tx.objects(Person.self)[0].dogs.sorted(by: \.age, ascending: false).freeze()
    }
    print(dogs.count)
}

func returnsDistinctResults(_ realm: Realm) async throws {
    let dogs = try await realm.read { tx in tx.objects(Dog.self).distinct(by: \.age).freeze() }
    print(dogs.count)
}

import Regnum

final class Dog: Object {
    @Persisted var name: String
    var scratch: NotSent { NotSent() }
    var collar: Sent { Sent() }
}

final class NotSent {}

final class Sent: Sendable {}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dog: Dog?
    @Persisted var dogs: List<Dog>
    @Persisted var fullName: Name
    @Persisted var nickname: Name?
    @Persisted var tag: Tag?
}

struct Name: CustomPersistable {
    let text: String

    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

final class Tag: EmbeddedObject {
    @Persisted var text: String
}

final class Card: Projection<Person> {
    @Projected(\Person.name) var name
}

final class Measurement: AsymmetricObject {
    @Persisted var celsius: Double
}

func takeSendable(_ value: some Sendable) {}

func addsAnAsymmetricObject(_ tx: Transaction) throws {
    try tx.create(Measurement.self, value: Measurement())
}

func addsAnEmbeddedObject(_ tx: Transaction) throws {
    let person = Person()
    person.tag = Tag()
    try tx.add(person)
}

func addsAProjection(_ realm: Realm) async throws {
    try await realm.write { tx in
        let card = Card(projecting: Person())
        card.name = "Ann"
        try tx.add(card.rootObject)
    }
}

func looksUpByADouble(_ tx: Transaction) {
    print(tx.object(Dog.self, forPrimaryKey: 1) == nil)
}

func queriesAnAsymmetricClass(_ realm: Realm) async throws {
    try await realm.drain(Measurement.self) { print($0.count) }
}

func queriesAnEmbeddedClass(_ tx: Transaction) {
    print(tx.objects(Person.self).compactMap { $0.tag }.count)
}

func comparesAProjectionWithNil(_ tx: Transaction) -> Int {
    tx.objects(Person.self).where { $0.nickname == nil }.count
}

func awaitsInside(_ realm: Realm) async throws {
    try await Task.sleep(for: .seconds(1))
    try await realm.write { tx in try tx.add(Person()) }
}

func awaitsInALoopOverAList(_ realm: Realm) async throws {
    for dog in realm.snapshot().objects(Person.self)[0].dogs {
        try await Task.sleep(for: .seconds(1))
        print(dog.name)
    }
}

func nestsAWrite(_ realm: Realm) async throws {
    try await realm.write { tx in
        func addTwo(_ tx: Transaction) throws {
            try tx.add(Person())
            try tx.add(Person())
        }
        try addTwo(tx)
    }
}

actor KeepsObjectInAnActor {
    var person: Frozen<Person>?

    func keep(_ realm: Realm) async throws {
        person = realm.snapshot().objects(Person.self).first
    }
}

actor KeepsListInAnActor {
    var dogs: FrozenResults<Dog>?

    func keep(_ realm: Realm) async throws {
        dogs = realm.snapshot().objects(Person.self).first?.dogs
    }
}

func takesModelForSendable(
    _ person: Frozen<Person>, _ people: FrozenResults<Person>, _ live: Live<Person>
) {
    takeSendable(person)
    takeSendable(people)
    takeSendable(live)
}

func takesListForSendable(_ person: Frozen<Person>) {
    takeSendable(person.dogs)
}

func setsAPropertyOfAFrozenObject(_ person: Frozen<Person>, _ tx: Transaction) {
    tx.resolve(person)?.name = "Ann"
}

func setsAPropertyOfAFrozenProjection(_ card: Frozen<Card>) {
    print(card.name)
}

func appendsToAFrozenList(_ person: Frozen<Person>, _ tx: Transaction) {
    tx.resolve(person)?.dogs.append(Dog())
}

func readsAnUnsendableComputedProperty(_ dog: Frozen<Dog>) {
    print(dog.collar)
}

import Regnum

final class Dog: Object {
    @Persisted var name: String
    var scratch: NotSent { NotSent() }
    var collar: Sent { Sent() }
}

// expected-note@+1 {{class 'NotSent' does not conform to the 'Sendable' protocol}}
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

func addsAnAsymmetricObject(_ tx: Transaction) {
    // expected-error@+1 {{'add(_:update:)' is unavailable: an asymmetric object is stored by create}}
    tx.add(Measurement())
}

func addsAnEmbeddedObject(_ tx: Transaction) {
    // expected-error@+1 {{'add(_:update:)' is unavailable: an embedded object is stored with its}}
    tx.add(Tag())
}

func addsAProjection(_ realm: Realm) async throws {
    try await realm.write { tx in
        // expected-error@+1 {{requires that 'Card' conform to 'Sequence'}}
        try tx.add(Card(projecting: Person()))
    }
}

func looksUpByADouble(_ tx: Transaction) {
    // expected-error@+1 {{requires that 'Double' conform to 'PrimaryKeyValue'}}
    print(tx.object(Dog.self, forPrimaryKey: 1.5) == nil)
}

func queriesAnAsymmetricClass(_ tx: Transaction) {
    // expected-error@+1 {{'objects' is unavailable: an asymmetric object is delivered by realm.drain}}
    print(tx.objects(Measurement.self).count)
}

func queriesAnEmbeddedClass(_ tx: Transaction) {
    // expected-error@+1 {{'objects' is unavailable: an embedded object is found through its owner}}
    print(tx.objects(Tag.self).count)
}

func comparesAProjectionWithNil(_ tx: Transaction) -> Int {
    // expected-error@+1 {{operator '==' cannot be applied to operands of type 'Query<Name>' and 'Name'}}
    tx.objects(Person.self).where { $0.fullName == nil }.count
}

func awaitsInside(_ realm: Realm) async throws {
    // expected-error@+1 {{to parameter expecting synchronous function type}}
    try await realm.write { tx in
        // expected-note@+1 {{'async' inferred from asynchronous operation used here}}
        try await Task.sleep(for: .seconds(1))
        try tx.add(Person())
    }
}

func awaitsInALoopOverAList(_ realm: Realm) async throws {
    // expected-error@+1 {{cannot pass function of type '@concurrent (Transaction) async throws ->}}
    try await realm.read { tx in
        for dog in tx.objects(Person.self)[0].dogs {
            // expected-note@+1 {{'async' inferred from asynchronous operation used here}}
            try await Task.sleep(for: .seconds(1))
            print(dog.name)
        }
    }
}

func nestsAWrite(_ realm: Realm) async throws {
    // expected-error@+1 {{to parameter expecting synchronous function type}}
    try await realm.write { tx in
        // expected-note@+1 {{'async' inferred from asynchronous operation used here}}
        try await realm.write { inner in try inner.add(Person()) }
    }
}

actor KeepsObjectInAnActor {
    // expected-note@+1 {{mutation of this property is only permitted within the actor}}
    var person: Person?

    func keep(_ realm: Realm) async throws {
        // expected-error@+1 {{actor-isolated property 'person' can not be mutated}}
        try await realm.read { tx in self.person = tx.objects(Person.self).first }
    }
}

actor KeepsListInAnActor {
    // expected-note@+1 {{mutation of this property is only permitted within the actor}}
    var dogs: List<Dog>?

    func keep(_ realm: Realm) async throws {
        // expected-error@+1 {{actor-isolated property 'dogs' can not be mutated from a nonisolate}}
        try await realm.read { tx in self.dogs = tx.objects(Person.self).first?.dogs }
    }
}

func takesModelForSendable() {
    // expected-error@+1 {{conformance of 'ObjectBase' to 'Sendable' is unavailable}}
    takeSendable(Person())
}

func takesListForSendable(_ person: Person) {
    // expected-error@+1 {{conformance of 'List<Element>' to 'Sendable' is unavailable}}
    takeSendable(person.dogs)
}

func setsAPropertyOfAFrozenObject(_ person: Frozen<Person>) {
    var person = person
    // expected-error@+1 {{cannot assign to property: 'person' is immutable}}
    person.name = "Ann"
}

func setsAPropertyOfAFrozenProjection(_ card: Frozen<Card>) {
    var card = card
    // expected-error@+1 {{cannot assign to property: 'card' is immutable}}
    card.name = "Ann"
}

func appendsToAFrozenList(_ person: Frozen<Person>) {
    // expected-error@+1 {{conformance of 'List<Element>' to 'Sendable' is unavailable}}
    person.dogs.append(Dog())
}

func readsAnUnsendableComputedProperty(_ dog: Frozen<Dog>) {
    // expected-error@+1 {{type 'NotSent' does not conform to the 'Sendable' protocol}}
    print(dog.scratch)
}

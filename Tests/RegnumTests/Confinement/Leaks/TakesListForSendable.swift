import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func send(_ value: some Sendable) { print(value) }

func leak(_ person: Person) {
    // expected-error@+1 {{conformance of 'List<Element>' to 'Sendable' is unavailable}}
    send(person.dogs)
}

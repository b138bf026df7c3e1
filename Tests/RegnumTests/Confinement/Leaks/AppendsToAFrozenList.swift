import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func leak(_ person: Frozen<Person>) {
    // expected-error@+1 {{conformance of 'List<Element>' to 'Sendable' is unavailable}}
    person.dogs.append(Dog())
}

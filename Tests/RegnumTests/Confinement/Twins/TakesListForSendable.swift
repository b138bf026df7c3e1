import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func send(_ value: some Sendable) { print(value) }

func twin(_ person: Frozen<Person>) {
    send(person.dogs)
}

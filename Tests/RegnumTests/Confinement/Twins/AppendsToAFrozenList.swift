import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dogs: List<Dog>
}

func twin(_ person: Frozen<Person>, _ tx: Transaction) {
    tx.resolve(person)?.dogs.append(Dog())
}

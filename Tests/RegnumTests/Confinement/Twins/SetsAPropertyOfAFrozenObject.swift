import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dog: Dog?
}

func twin(_ person: Frozen<Person>, _ tx: Transaction) {
    tx.resolve(person)?.name = "Ann"
}

import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Card: Projection<Person> {
    @Projected(\Person.name) var name
}

func twin(_ card: Frozen<Card>) {
    print(card.name)
}

import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Card: Projection<Person> {
    @Projected(\Person.name) var name
}

func leak(_ card: Frozen<Card>) {
    var card = card
    // expected-error@+1 {{cannot assign to property: 'card' is immutable}}
    card.name = "Ann"
}

import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var dog: Dog?
}

func leak(_ person: Frozen<Person>) {
    var person = person
    // expected-error@+1 {{cannot assign to property: 'person' is immutable}}
    person.name = "Ann"
}

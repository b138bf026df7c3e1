import Regnum

final class Dog: Object {
    @Persisted var name: String
    var scratch: NotSent { NotSent() }
}

// expected-note@+1 {{class 'NotSent' does not conform to the 'Sendable' protocol}}
final class NotSent {}

func leak(_ dog: Frozen<Dog>) {
    // expected-error@+1 {{type 'NotSent' does not conform to the 'Sendable' protocol}}
    print(dog.scratch)
}

import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Owner: Object {
    // expected-error@+1 {{generic struct 'Persisted' requires that 'List<Dog>' conform to 'Option}}
    @Persisted var dogs: List<Dog>?
}

import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Owner: Object {
    // expected-error@+1 2 {{conformance of 'Array<Element>' to 'Persistable' is unavailable: an array cannot be stored: declare a List}}
    @Persisted var dogs: [Dog]
}

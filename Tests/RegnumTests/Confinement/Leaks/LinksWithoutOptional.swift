import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Owner: Object {
    // expected-error@+1 2 {{conformance of 'ObjectBase' to 'Persistable' is unavailable: a link can be nil: declare it as optional}}
    @Persisted var dog: Dog
}

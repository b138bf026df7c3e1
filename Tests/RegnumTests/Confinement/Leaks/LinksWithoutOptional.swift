import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Owner: Object {
    // expected-error@+1 {{generic struct 'Persisted' requires that 'Dog' conform to 'Persistable'}}
    @Persisted var dog: Dog
}

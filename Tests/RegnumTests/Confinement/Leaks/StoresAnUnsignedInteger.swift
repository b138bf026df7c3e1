import Regnum


final class Dog: Object {
    // expected-error@+1 {{generic struct 'Persisted' requires that 'UInt' conform to 'Persistable}}
    @Persisted var age: UInt
}

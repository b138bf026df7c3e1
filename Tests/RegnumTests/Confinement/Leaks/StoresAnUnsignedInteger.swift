import Regnum

final class Dog: Object {
    // expected-error@+1 2 {{conformance of 'UInt' to 'Persistable' is unavailable: unsigned integers cannot be stored: declare an Int}}
    @Persisted var age: UInt
}

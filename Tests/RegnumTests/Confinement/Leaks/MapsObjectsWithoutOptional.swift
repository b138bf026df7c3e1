import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Owner: Object {
    // expected-error@+1 {{type 'Dog' does not conform to protocol 'MapValue'}}
    @Persisted var dogs: Map<String, Dog>
}

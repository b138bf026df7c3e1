import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Owner: Object {
    // expected-error@+2 {{type 'Dog' does not conform to protocol 'RequiredValue'}}
    // expected-error@+1 {{'MutableSet' requires that 'Dog' conform to 'RequiredValue'}}
    @Persisted var dogs: MutableSet<Dog?>
}

import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Link: Object {
    // expected-error@+2 {{type 'any Error' cannot conform to 'OptionalPersistable'}}
    // expected-note@+1 {{only concrete types}}
    @Persisted var address: (any Error)?
}

import Regnum

final class Person: Object {
    @Persisted var name: String
}

func needsSendable(_ value: some Sendable) {}

func leak() {
    // expected-error@+1 {{conformance of 'ObjectBase' to 'Sendable' is unavailable}}
    needsSendable(Person())
}

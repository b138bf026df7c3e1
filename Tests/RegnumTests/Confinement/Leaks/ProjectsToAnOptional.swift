import Regnum

struct Name {
    let text: String
}

// expected-error@+4 {{type 'Name' does not conform to protocol 'FailableCustomPersistable'}}
// expected-error@+3 {{type 'Name' does not conform to protocol 'ProjectedValue'}}
// expected-error@+2 {{type 'Name' does not conform to protocol 'ScalarValue'}}
// expected-note@+1 {{add stubs for conformance}}
extension Name: FailableCustomPersistable {
    // expected-note@+1 {{(aka 'Optional<String>') does not conform to 'ProjectionBasis'}}
    typealias PersistedType = String?
    init?(persistedValue: String?) { self.init(text: persistedValue ?? "") }
    var persistableValue: String? { text }
}

final class Person: Object {
    @Persisted var name: Name?
}

import Regnum

final class Text: Object {
    @Persisted var text: String
}

// expected-error@+4 {{type 'Name' does not conform to protocol 'FailableCustomPersistable'}}
// expected-error@+3 {{type 'Name' does not conform to protocol 'ProjectedValue'}}
// expected-error@+2 {{type 'Name' does not conform to protocol 'ScalarValue'}}
// expected-note@+1 {{add stubs for conformance}}
struct Name: CustomPersistable {
    let text: String

    // expected-note@+1 {{if 'Text' conformed to 'ProjectionBasis'}}
    init(persistedValue: Text) { text = persistedValue.text }
    // expected-note@+1 {{if 'Text' conformed to 'ProjectionBasis'}}
    var persistableValue: Text { Text(value: [text]) }
}

import Regnum

// expected-error@+4 {{type 'Names' does not conform to protocol 'FailableCustomPersistable'}}
// expected-error@+3 {{type 'Names' does not conform to protocol 'ProjectedValue'}}
// expected-error@+2 {{type 'Names' does not conform to protocol 'ScalarValue'}}
// expected-note@+1 {{add stubs for conformance}}
struct Names: CustomPersistable {
    let texts: [String]

    // expected-note@+1 {{if 'List<String>' conformed to 'ProjectionBasis'}}
    init(persistedValue: List<String>) { texts = Array(persistedValue) }
    // expected-note@+1 {{if 'List<String>' conformed to 'ProjectionBasis'}}
    var persistableValue: List<String> { List(texts) }
}

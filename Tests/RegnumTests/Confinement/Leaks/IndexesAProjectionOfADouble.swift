import Regnum

struct Celsius: CustomPersistable {
    let degrees: Double

    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }
}

final class Station: Object {
    // expected-error@+1 {{conform to 'PrimaryKeyValue'}}
    @Persisted(primaryKey: true) var id: Celsius
    // expected-error@+1 {{conform to 'IndexableValue'}}
    @Persisted(indexed: true) var heat: Celsius
    // expected-error@+1 {{conform to 'IndexableValue'}}
    @Persisted(indexed: true) var coldest: Celsius?
}

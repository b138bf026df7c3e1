import Regnum

final class Place: EmbeddedObject {
    @Persisted var x: Double
}

final class Order: Object {
    // expected-error@+1 {{inherit from 'Object'}}
    @Persisted(onDelete: .deny) var place: Place?
}

import Regnum

final class Order: Object {
    // expected-error@+1 {{requires that 'String' conform to '_ObjectHolding'}}
    @Persisted(onDelete: .cascade) var name: String
}

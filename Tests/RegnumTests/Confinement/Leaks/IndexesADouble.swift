import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Measure: Object {
    // expected-error@+1 {{requires that 'Double' conform to 'IndexableValue'}}
    @Persisted(indexed: true) var value: Double
}

import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Measure: Object {
    @Persisted var value: Double
    @Persisted(indexed: true) var isValid: Bool
}

import Regnum

final class Place: EmbeddedObject {
    @Persisted var x: Double
}

final class Order: Object {
    @Persisted var place: Place?
}

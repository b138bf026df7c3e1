import Regnum

final class Order: Object {
    @Persisted(onDelete: .cascade) var next: Order?
}

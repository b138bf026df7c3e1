/// The base class of models that are part of another object.
///
///     final class Address: EmbeddedObject {
///         @Persisted var street: String
///         @Persisted var city: String
///     }
///     final class Person: Object {
///         @Persisted var home: Address?
///         @Persisted var others: List<Address>
///     }
///
/// A stored embedded object has exactly one owner, a property or an element of a list, and is deleted
/// with it, when the property is set to another one or nil, and when it is taken out of the list. It
/// has no primary key, and is not found by itself: not in `tx.objects`, nor added by `tx.add`.
open class EmbeddedObject: ObjectBase {}

// What asks for objects by their class takes models that are stored on their own, and projections.

extension Transaction {
    @available(*, unavailable, message: "an embedded object is found through its owner")
    public func objects<T: EmbeddedObject>(_ type: T.Type) -> Results<T> { fatalError() }
}

extension Snapshot {
    @available(*, unavailable, message: "an embedded object is found through its owner")
    public func objects<T: EmbeddedObject>(_ type: T.Type) -> FrozenResults<T> { fatalError() }
}

extension Realm {
    @available(*, unavailable, message: "an embedded object is found through its owner")
    public nonisolated func objects<T: EmbeddedObject>(_ type: T.Type) -> LiveResults<T> {
        fatalError()
    }
}

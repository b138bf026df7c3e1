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
/// A stored embedded object has exactly one owner, a property or a collection element. It is
/// deleted with its owner, when the property is set to another object or to `nil`, and when it is
/// removed from the collection. It has no primary key, cannot be queried with `tx.objects`, and
/// cannot be added with `tx.add`.
open class EmbeddedObject: ObjectBase {}

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

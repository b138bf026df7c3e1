/// The base class of models whose objects are created and delivered, but never read.
///
///     final class Measurement: AsymmetricObject {
///         @Persisted(primaryKey: true) var id: ObjectId
///         @Persisted var celsius: Double
///         @Persisted var place: Place?              // an embedded object
///     }
///     try await realm.write { tx in
///         try tx.create(Measurement.self, value: ["celsius": 21.5])
///     }
///     try await realm.drain(Measurement.self) { batch in try await send(batch) }
///
/// An object stored by `tx.create` is kept until ``Realm/drain(_:batchSize:untilEmpty:to:)`` has
/// delivered it, in this or another process, and is then removed. It cannot be added, queried,
/// modified, observed or deleted, and no object can link to it. It can hold values, collections of
/// values and embedded objects, but no links to other objects. Primary keys are unique among the
/// objects that haven't been delivered yet.
open class AsymmetricObject: ObjectBase {}

internal import RegnumEngine

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
/// values and embedded objects, but no links to other objects. A primary key is unique among the
/// objects that haven't been delivered yet.
open class AsymmetricObject: ObjectBase {}

extension Transaction {
    /// Creates and stores an asymmetric object with the given property values.
    ///
    /// Accepts the same values as ``create(_:value:update:)-(_,[String:Any?],_)``. Returns nothing,
    /// because the object can only be delivered.
    ///
    /// - Throws: `.invalidValue`, naming the class and property, for a value of the wrong type;
    ///   `.invalidInput` for an array with too many values, for a nested value that no object can
    ///   be created from, and for a class that is declared with links; `.duplicatePrimaryKey` if an
    ///   undelivered object has the same primary key. Nothing is stored if it throws.
    public func create<T: AsymmetricObject>(
        _ type: T.Type, value: [String: Any?] = [:]
    ) throws(Realm.Error) {
        try makeAsymmetric(type, value)
    }

    /// Creates and stores an asymmetric object from property values in declaration order. See
    /// ``create(_:value:)-(_,[String:Any?])``.
    public func create<T: AsymmetricObject>(
        _ type: T.Type, value: [Any?]
    ) throws(Realm.Error) {
        try makeAsymmetric(type, value)
    }

    /// Creates and stores an asymmetric object from a dictionary, an array, or an unmanaged object
    /// whose properties of the same names are copied. See ``create(_:value:)-(_,[String:Any?])``.
    @_disfavoredOverload
    public func create<T: AsymmetricObject>(
        _ type: T.Type, value: Any
    ) throws(Realm.Error) {
        try makeAsymmetric(type, value)
    }

    private func makeAsymmetric<T: AsymmetricObject>(
        _ type: T.Type, _ value: Any
    ) throws(Realm.Error) {
        let transaction = requireWriting("create")
        let binding = core.binding(for: type)
        try binding.prepareToStore(in: transaction)
        var builder = ObjectBuilder(core)
        let object = type.init()
        try builder.fill(object, from: value)
        let insertion = GraphInsertion(core, transaction, .error, supplied: builder.supplied)
        _ = try insertion.add(object)
    }
}

// Methods that take models don't support asymmetric ones. These overloads explain why.

extension Transaction {
    @available(*, unavailable, message: "an asymmetric object is stored by create(_:value:)")
    public func add(_ object: AsymmetricObject, update policy: Realm.UpdatePolicy = .error) {}

    @available(*, unavailable, message: "an asymmetric object is delivered by realm.drain")
    public func objects<T: AsymmetricObject>(_ type: T.Type) -> Results<T> { fatalError() }

    @available(*, unavailable, message: "an asymmetric object is removed once it is delivered")
    public func delete(_ object: AsymmetricObject) {}

    @available(*, unavailable, message: "an asymmetric object is delivered by realm.drain")
    public func resolve<T: AsymmetricObject>(_ frozen: Frozen<T>) -> T? { fatalError() }
}

extension Snapshot {
    @available(*, unavailable, message: "an asymmetric object is delivered by realm.drain")
    public func objects<T: AsymmetricObject>(_ type: T.Type) -> FrozenResults<T> { fatalError() }
}

extension Realm {
    @available(*, unavailable, message: "an asymmetric object is delivered by realm.drain")
    public nonisolated func objects<T: AsymmetricObject>(_ type: T.Type) -> LiveResults<T> {
        fatalError()
    }
}

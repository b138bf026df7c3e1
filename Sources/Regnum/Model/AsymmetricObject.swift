internal import RegnumEngine

/// The base class of models whose objects are created and delivered, and never read.
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
/// What `tx.create` stores waits until ``Realm/drain(_:batchSize:untilEmpty:to:)`` has delivered it, in
/// this process or another one, and is removed then. It cannot be added, found, changed, observed or
/// deleted; nothing links to it. It holds values, collections of values and embedded objects, and
/// links to no other objects. A primary key is one among the objects that wait.
open class AsymmetricObject: ObjectBase {}

extension Transaction {
    /// Makes and stores an asymmetric object from the values of its properties.
    ///
    /// The values are those that ``create(_:value:update:)-(_,[String:Any?],_)`` takes. Nothing is
    /// returned: the object is only to be delivered.
    ///
    /// - Throws: `.invalidValue` with class and property for a value of a wrong type; `.invalidInput`
    ///   for an array of too many values, a nested value that no object can be made of, and a class
    ///   that is declared with links; `.duplicatePrimaryKey` if an object that waits has the key.
    ///   Nothing is stored then.
    public func create<T: AsymmetricObject>(
        _ type: T.Type, value: [String: Any?] = [:]
    ) throws(Realm.Error) {
        try makeAsymmetric(type, value)
    }

    /// Makes and stores an asymmetric object from the values of its properties, in the order of their
    /// declaration. See ``create(_:value:)-(_,[String:Any?])``.
    public func create<T: AsymmetricObject>(
        _ type: T.Type, value: [Any?]
    ) throws(Realm.Error) {
        try makeAsymmetric(type, value)
    }

    /// Makes and stores an asymmetric object from a dictionary, an array, or an unmanaged object, whose
    /// properties of the same names are copied. See ``create(_:value:)-(_,[String:Any?])``.
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

// What takes models takes no asymmetric ones; these tell why.

extension Transaction {
    @available(*, unavailable, message: "an asymmetric object is stored by create(_:value:)")
    public func add(_ object: AsymmetricObject, update policy: Realm.UpdatePolicy = .error) {}

    @available(*, unavailable, message: "an asymmetric object is delivered by realm.drain")
    public func objects<T: AsymmetricObject>(_ type: T.Type) -> Results<T> { fatalError() }

    @available(*, unavailable, message: "an asymmetric object is removed once it was delivered")
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

internal import RegnumEngine

/// An object as it was in one snapshot: an immutable, `Sendable` value.
///
///     let person: Frozen<Person> = snapshot.objects(Person.self)[0]
///     print(person.name)               // every property of the model, read-only
///     print(person.dog?.name ?? "-")   // a link is a Frozen<Dog>?
///     print(person.dogs.count)         // a list of objects, or an inverse, is FrozenResults<Dog>
///     print(person.tags.sorted())      // a list of values is FrozenValues<String>
///     print(person.fullName)           // computed properties too, if their result is Sendable
///
/// A property whose name is also a member of `Frozen` itself (such as `description`) is read as
/// `person[dynamicMember: \.description]`. Everything reached from the object belongs to the same
/// snapshot. Collections are looked up only when they are used. Two frozen objects are equal if
/// they are the same row with the same content, even in different snapshots. To compare rows
/// regardless of their content, use `rowIdentity`.
@dynamicMemberLookup
public struct Frozen<Model: ObjectBase>: Sendable {
    let table: FrozenTable
    let row: ObjectKey

    init(_ table: FrozenTable, row: ObjectKey) {
        self.table = table
        self.row = row
    }

    /// The value of a stored property.
    ///
    /// A stored value that isn't valid for the type (such as an enum case that was removed) reads
    /// as `nil` if the property is optional, and otherwise fails the read with `.invalidValue` (see
    /// ``Snapshot/read(_:)``).
    ///
    /// - Complexity: O(log n).
    public subscript<Value: ScalarValue & Sendable>(
        dynamicMember keyPath: KeyPath<Model, Value>
    ) -> Value {
        table.compute(Model.self, row) { $0[keyPath: keyPath] }
    }

    /// The value of a computed property of the model, evaluated on a new object of this snapshot
    /// that is private to the call.
    ///
    /// - Precondition: The getter changes no stored property.
    public subscript<Value: Sendable>(dynamicMember keyPath: KeyPath<Model, Value>) -> Value {
        table.compute(Model.self, row) { $0[keyPath: keyPath] }
    }

    /// The object that a property links to, or `nil` if there is none. Also works for a computed
    /// property that returns a stored object.
    ///
    /// - Complexity: O(log n).
    public subscript<T: ObjectBase>(dynamicMember keyPath: KeyPath<Model, T?>) -> Frozen<T>? {
        table.compute(Model.self, row) { model in
            model[keyPath: keyPath].map { frozen($0, keyPath) }
        }
    }

    /// The object that a computed property of the model returns.
    ///
    /// - Precondition: The object is stored.
    public subscript<T: ObjectBase>(dynamicMember keyPath: KeyPath<Model, T>) -> Frozen<T> {
        table.compute(Model.self, row) { frozen($0[keyPath: keyPath], keyPath) }
    }

    /// The objects of a list, in list order.
    public subscript<T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, List<T>>
    ) -> FrozenResults<T> {
        let place = collectionPlace(keyPath)
        return place.table.results(T.self, place.row, place.property)
    }

    /// The values of a list, in list order.
    public subscript<Value: ScalarValue & RealmCollectionValue & Sendable>(
        dynamicMember keyPath: KeyPath<Model, List<Value>>
    ) -> FrozenValues<Value> {
        let place = collectionPlace(keyPath)
        return place.table.values(place.row, place.property)
    }

    /// The objects that refer to this one through a link or collection, in creation order, once for
    /// each occurrence.
    public subscript<T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, LinkingObjects<T>>
    ) -> FrozenResults<T> {
        table.compute(Model.self, row) { model in
            guard let origins = model[keyPath: keyPath].handle else { trapUnmanaged(keyPath) }
            return table.other(origins.binding.schema.type)
                .results(T.self, origins.row, origins.property)
        }
    }

    /// Returns the frozen form of an object that a computed property returned.
    private func frozen<T: ObjectBase>(_ object: T, _ keyPath: AnyKeyPath) -> Frozen<T> {
        guard object.isManaged, type(of: object) == T.self else { trapUnmanaged(keyPath) }
        let targets = table.other(T.self)
        _ = targets.readableTable  // fails the read of a class that doesn't match
        return Frozen<T>(targets, row: ObjectKey(rawValue: object._storedObject._row))
    }

    /// Returns the location of a stored collection.
    func collectionPlace<C: UnmanagedCollection>(
        _ keyPath: KeyPath<Model, C>
    ) -> (table: FrozenTable, row: ObjectKey, property: Int) {
        table.compute(Model.self, row) { model in
            guard let list = model[keyPath: keyPath].managed else { trapUnmanaged(keyPath) }
            guard list.slot == nil else {
                fatalError(
                    "\(keyPath.text) of a Frozen<\(Model.self)> returned a list or dictionary that "
                        + "is nested in an AnyRealmValue: return the AnyRealmValue, or the "
                        + "collection of a property, instead.")
            }
            return (table.other(list.binding.schema.type), list.row, list.property)
        }
    }

    private func trapUnmanaged(_ keyPath: AnyKeyPath) -> Never {
        fatalError(
            "\(keyPath.text) of a Frozen<\(Model.self)> returned something that isn't stored: "
                + "computed properties of frozen objects can return values, and objects and "
                + "collections of their realm.")
    }
}

/// The identity of a row within its class, valid for the lifetime of the realm.
public struct RowIdentity: Hashable, Sendable, CustomStringConvertible {
    let className: String
    let row: UInt64

    /// The class and the row number, such as `Dog#12`.
    public var description: String { "\(className)#\(row)" }
}

extension RowIdentity: Encodable {
    /// Encodes ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Frozen {
    /// The identity of the row in its realm, which doesn't change when the content does. An object
    /// that is deleted and created again is a different row, even with the same primary key.
    public var rowIdentity: RowIdentity {
        RowIdentity(className: table.schema.name, row: row.rawValue)
    }
}

/// A frozen value has the `id` of its model: `message.id` is the property that the model declares.
/// If the model is `Identifiable`, so are its frozen values.
extension Frozen: Identifiable where Model: Identifiable {
    public typealias ID = Model.ID

    public var id: Model.ID { table.compute(Model.self, row) { $0.id } }
}

internal import RegnumEngine

/// A live handle to the object with a given primary key: `current` is its current value, and
/// `changes` a stream of its changes.
///
///     let general = realm.object(Room.self, forPrimaryKey: "general")
///     print(general.current?.topic ?? "no such room")
///     for try await change in general.changes { … }
///     for try await change in general.messages.changes { … }    // a list, or an inverse
///
/// The handle follows the key, not the row: if the object is deleted and another one with the same
/// key is added, the handle refers to the new one.
@dynamicMemberLookup
public struct Live<Model: ObjectBase>: Sendable {
    let realm: RealmCore
    let entry: ClassEntry
    /// Where the handle was created, reported as the place of its snapshots.
    let place: CallPlace
    let key: Value

    /// The object in the newest published version, or `nil` if there is none. After `close()`, the
    /// object in the last version.
    ///
    /// Accessing it inside the body of a write to this realm fails the transaction with
    /// `.invalidInput`; use `tx.object(_:forPrimaryKey:)` there.
    ///
    /// - Complexity: O(log n).
    public var current: Frozen<Model>? {
        let table = FrozenTable(realm.liveSnapshot(place, entry, "object(_:forPrimaryKey:)"), entry)
        return table.find(key).map { Frozen(table, row: $0) }
    }
}

extension Live {
    /// A live handle to the objects of a list, in list order.
    ///
    /// - Precondition: The key path refers to a stored property.
    public subscript<T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, List<T>>
    ) -> LiveResults<T> {
        collection(entry.schema.requireProperty(keyPath), .list)
    }

    /// A live handle to the objects that refer to this one through a link or collection, in
    /// creation order, once for each occurrence.
    ///
    /// - Precondition: The key path refers to an inverse of the model.
    public subscript<T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, LinkingObjects<T>>
    ) -> LiveResults<T> {
        collection(entry.schema.requireProperty(keyPath), .backlinks)
    }

    /// A live handle to the values of a list, in list order.
    ///
    /// - Precondition: The key path refers to a stored property.
    public subscript<Value: ScalarValue & RealmCollectionValue & Sendable>(
        dynamicMember keyPath: KeyPath<Model, List<Value>>
    ) -> LiveValues<Value> {
        liveValues(entry.schema.requireProperty(keyPath))
    }

    func liveValues<Value>(_ property: PropertySchema) -> LiveValues<Value> {
        LiveValues(
            realm: realm, entry: entry, place: place,
            plan: QueryPlan(
                tableName: property.shape.objectType.map { ClassSchema.of($0).name }
                    ?? entry.schema.elementsName(of: property)),
            owner: owner(property, .list))
    }

    func collection<T: ObjectBase>(
        _ property: PropertySchema, _ kind: CollectionOwner.Kind
    ) -> LiveResults<T> {
        LiveResults(
            realm: realm, entry: realm.entry(for: T.self), place: place, _plan: .all(of: T.self),
            owner: owner(property, kind), ownerEntry: entry)
    }

    func owner(
        _ property: PropertySchema, _ kind: CollectionOwner.Kind
    ) -> CollectionOwner {
        var owner = CollectionOwner(
            tableName: entry.schema.name, keyColumn: keyProperty.columnName, key: key, kind: kind,
            name: property.originColumnName ?? property.columnName)
        owner.leadsThroughEntries = kind == .backlinks && property.originMap != nil
        return owner
    }

    /// The primary key property, which every handle has.
    var keyProperty: PropertySchema {
        guard let index = entry.schema.primaryKey else {
            preconditionFailure("\(entry.schema.name) has no primary key.")
        }
        return entry.schema.properties[index]
    }
}

internal import RegnumEngine

/// A handle on the object with a primary key: `current` is its value now, `changes` its stream.
///
///     let general = realm.object(Room.self, forPrimaryKey: "general")
///     print(general.current?.topic ?? "no such room")
///     for try await change in general.changes { … }
///     for try await change in general.messages.changes { … }    // a list, or an inverse
///
/// It follows the key, not the row: when the object is deleted and another one with the same key
/// is added, the handle stands for the new one.
@dynamicMemberLookup
public struct Live<Model: ObjectBase>: Sendable {
    let realm: RealmCore
    let entry: ClassEntry
    /// Where the handle was made, which is shown as the place of what it holds.
    let place: CallPlace
    let key: Value

    init(_ realm: RealmCore, _ entry: ClassEntry, _ place: CallPlace, key: Value) {
        self.realm = realm
        self.entry = entry
        self.place = place
        self.key = key
    }

    /// The object in the newest published version, nil if there is none. After `close()` the last
    /// version answers.
    ///
    /// - Complexity: O(log n).
    public var current: Frozen<Model>? {
        let table = FrozenTable(realm.liveSnapshot(place, entry, "object(_:forPrimaryKey:)"), entry)
        return table.find(key).map { Frozen(table, row: $0) }
    }
}

extension Live {
    /// The objects of a list, in its order.
    ///
    /// - Precondition: the key path names a stored property.
    public subscript<T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, List<T>>
    ) -> LiveResults<T> {
        collection(entry.schema.requireProperty(keyPath), .list)
    }

    /// The objects whose link or list has this one, in order of creation, each as often as it does.
    ///
    /// - Precondition: the key path names an inverse of the model.
    public subscript<T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, LinkingObjects<T>>
    ) -> LiveResults<T> {
        collection(entry.schema.requireProperty(keyPath), .backlinks)
    }

    /// The values of a list, in its order.
    ///
    /// - Precondition: the key path names a stored property.
    public subscript<Value: ScalarValue & RealmCollectionValue & Sendable>(
        dynamicMember keyPath: KeyPath<Model, List<Value>>
    ) -> LiveValues<Value> {
        let property = entry.schema.requireProperty(keyPath)
        return LiveValues(
            realm, entry, place,
            plan: QueryPlan(
                tableName: property.shape.objectType.map { ClassSchema.of($0).name }
                    ?? entry.schema.elementsName(of: property)),
            owner: owner(property, .list))
    }

    func collection<T: ObjectBase>(
        _ property: PropertySchema, _ kind: CollectionOwner.Kind
    ) -> LiveResults<T> {
        LiveResults(
            realm, realm.entry(for: T.self), place, plan: .all(of: T.self),
            owner: owner(property, kind))
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

    /// The primary key: a handle is made by one.
    var keyProperty: PropertySchema {
        guard let index = entry.schema.primaryKey else {
            preconditionFailure("\(entry.schema.name) has no primary key.")
        }
        return entry.schema.properties[index]
    }
}

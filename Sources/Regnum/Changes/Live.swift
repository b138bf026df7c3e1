internal import RegnumEngine

/// A live handle to an object: `current` is its current value, and `changes` is a stream of its
/// changes.
///
///     let general = realm.object(Room.self, forPrimaryKey: "general")
///     print(general.current?.topic ?? "no such room")
///     for try await change in general.changes { … }
///     for try await change in general.messages.changes { … }    // a list, or an inverse
///
/// A handle for a primary key follows the key, not the row: if the object is deleted and another
/// one with the same key is added, the handle refers to the new one. Likewise, a handle for a link
/// or embedded object, as in `general.owner.changes`, follows the link: to another object when it
/// is set. A handle made by `object(following:)` follows one object until it is deleted.
@dynamicMemberLookup
public struct Live<Model: ObjectBase>: Sendable {
    let realm: RealmCore
    let entry: ClassEntry
    /// The call site that created the handle, reported as the place of its snapshots.
    let place: CallPlace
    let identity: LiveIdentity

    /// The object in the newest published version, or `nil` if there is none. After `close()`, the
    /// object in the last version.
    ///
    /// Accessing it inside the body of a write to this realm fails the transaction with
    /// `.invalidInput`; use `tx.object(_:forPrimaryKey:)` there.
    ///
    /// - Complexity: O(log n).
    public var current: Frozen<Model>? {
        let table = FrozenTable(realm.liveSnapshot(place, entry, "object(_:forPrimaryKey:)"), entry)
        let row =
            switch identity {
            case .key(let key): table.find(key)
            case .owner(let owner): find(owner, table)
            }
        return row.map { Frozen(table, row: $0) }
    }

    /// Returns the row that links lead to, or the one that is followed. A class that doesn't match
    /// the stored schema fails the read.
    private func find(_ owner: CollectionOwner, _ table: FrozenTable) -> ObjectKey? {
        if let mismatch = table.mismatch(of: owner) {
            table.snapshot.fail(mismatch)
            return nil
        }
        return table.checked(key: owner.key) { owner.row(table.snapshot.root) }
    }
}

/// The identity by which a live handle finds its object.
enum LiveIdentity: Sendable {
    /// The primary key.
    case key(Value)
    /// Links, or one row.
    case owner(CollectionOwner)
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

    /// A live handle to the object that a property links to, or to an embedded object. Its stream
    /// reports a change of the link to another object as the deletion of the old one and the
    /// insertion of the new one. `current` is `nil` while this object doesn't exist.
    ///
    ///     for try await change in realm.object(Person.self, forPrimaryKey: 7).dog.changes { … }
    ///
    /// - Precondition: The key path refers to a stored property.
    public subscript<T: ObjectBase>(dynamicMember keyPath: KeyPath<Model, T?>) -> Live<T> {
        let property = entry.schema.requireProperty(keyPath)
        var owner = owner(property, .object)
        owner.links.append(
            CollectionOwner.Link(tableName: entry.schema.name, column: property.columnName))
        let target = realm.entry(for: T.self)
        owner.tableName = target.schema.name
        return Live<T>(realm: realm, entry: target, place: place, identity: .owner(owner))
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
        let name = property.originColumnName ?? property.columnName
        var owner: CollectionOwner
        switch identity {
        case .key(let key):
            owner = CollectionOwner(
                tableName: entry.schema.name, keyColumn: keyProperty.columnName, key: key,
                kind: kind, name: name)
        case .owner(let known):
            owner = known
            owner.kind = kind
            owner.name = name
        }
        owner.leadsThroughEntries = kind == .backlinks && property.originMap != nil
        return owner
    }

    /// The primary key property, which every handle for a key has.
    var keyProperty: PropertySchema {
        guard let index = entry.schema.primaryKey else {
            preconditionFailure("\(entry.schema.name) has no primary key.")
        }
        return entry.schema.properties[index]
    }
}

internal import RegnumEngine

/// A handle on a map of the object with a primary key: `current` is its value now, `changes` its stream.
///
///     let scores = realm.object(Person.self, forPrimaryKey: 7).scores
///     for try await change in scores.changes { … }
///
/// It is empty while there is no such object. The handle costs nothing and holds no data.
public struct LiveMap<Key: MapKey, Value: Sendable>: Sendable {
    let realm: RealmCore
    /// The class of the object.
    let entry: ClassEntry
    let property: Int
    let owner: CollectionOwner
    private let make: @Sendable (FrozenTable, ObjectKey?) -> FrozenMap<Key, Value>

    init(
        _ realm: RealmCore, _ entry: ClassEntry, _ property: Int, owner: CollectionOwner,
        _ make: @escaping @Sendable (FrozenTable, ObjectKey?) -> FrozenMap<Key, Value>
    ) {
        self.realm = realm
        self.entry = entry
        self.property = property
        self.owner = owner
        self.make = make
    }

    /// The map in the newest published version. After `close()` the last one.
    public var current: FrozenMap<Key, Value> {
        map(FrozenTable(realm.snapshot(CallPlace(file: #fileID, line: #line)), entry))
    }

    /// The value of a key now, nil if there is no such entry. Take ``current`` for several questions
    /// to the same version.
    public subscript(key: Key) -> Value? { current[key] }

    /// The number of entries now.
    public var count: Int { current.count }

    /// The changes of the map, from its state when the iteration starts.
    public var changes: MapChanges<Key, Value> { changes() }

    /// The changes of the map, told by its keys. In a map of objects, an entry is modified also when
    /// its object is, or one that the object reaches through at most 3 links.
    ///
    /// - Parameters:
    ///   - policy: what happens to the commits that come while the consumer is busy.
    ///   - cursor: where to go on from, nil to start with the map as it is.
    public func changes(
        policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil
    ) -> MapChanges<Key, Value> {
        let schema = entry.schema
        let property = schema.properties[property]
        var depth = 0
        // the entry's own link is one more
        if case .map(.object) = property.shape { depth = 4 }
        let plan = QueryPlan(tableName: schema.elementsName(of: property))
        return MapChanges(
            StreamRequest(
                realm: realm, entry: entry, plan: _Plan(plan: plan),
                query: StreamQuery(plan, owner: owner, filter: .deep(depth)), firstProperties: [],
                policy: policy, since: cursor, keepsOld: true),
            self)
    }

    /// The map at a version.
    func map(_ table: FrozenTable) -> FrozenMap<Key, Value> {
        make(table, table.mismatch == nil ? owner.row(table.snapshot.root) : nil)
    }
}

extension Live {
    /// A map of values.
    ///
    /// - Precondition: the key path names a stored property.
    public subscript<Key, Value: ScalarValue & MapValue & Sendable>(
        dynamicMember keyPath: KeyPath<Model, Map<Key, Value>>
    ) -> LiveMap<Key, Value> {
        let (index, owner) = mapOwner(keyPath)
        return LiveMap(realm, entry, index, owner: owner) { $0.frozenMap($1, index) }
    }

    /// A map of objects.
    ///
    /// - Precondition: the key path names a stored property.
    public subscript<Key, T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, Map<Key, T?>>
    ) -> LiveMap<Key, Frozen<T>?> {
        let (index, owner) = mapOwner(keyPath)
        return LiveMap(realm, entry, index, owner: owner) { $0.frozenMap($1, index) }
    }

    private func mapOwner<V>(_ keyPath: KeyPath<Model, V>) -> (Int, CollectionOwner) {
        let property = entry.schema.requireProperty(keyPath)
        guard let index = entry.schema.property(named: property.name) else {
            preconditionFailure("\(entry.schema.name) has no property \(property.name).")
        }
        return (index, owner(property, .list))
    }
}

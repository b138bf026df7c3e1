internal import RegnumEngine

/// A handle on a map of the object with a primary key: `current` is its value now, `changes` its
/// stream.
///
///     let scores = realm.object(Person.self, forPrimaryKey: 7).scores
///     for try await change in scores.changes { … }
///
/// It is empty while there is no such object. The handle costs nothing and holds no data.
public struct LiveMap<Key: MapKey, Value: Sendable>: Sendable {
    let realm: RealmCore
    /// The class of the object.
    let entry: ClassEntry
    /// Where the handle was made, which is shown as the place of what it holds.
    let place: CallPlace
    /// The property that the map is, or that it lies in.
    let property: Int
    let owner: CollectionOwner
    private let make: @Sendable (FrozenTable, OwnedList?) -> FrozenMap<Key, Value>

    init(
        _ realm: RealmCore, _ entry: ClassEntry, _ place: CallPlace, _ property: Int,
        owner: CollectionOwner,
        _ make: @escaping @Sendable (FrozenTable, OwnedList?) -> FrozenMap<Key, Value>
    ) {
        self.realm = realm
        self.entry = entry
        self.place = place
        self.property = property
        self.owner = owner
        self.make = make
    }

    /// The map in the newest published version. After `close()` the last one.
    public var current: FrozenMap<Key, Value> {
        map(
            FrozenTable(realm.liveSnapshot(place, entry, "object(_:forPrimaryKey:)"), entry))
    }

    /// The value of a key now, nil if there is no such entry. Take ``current`` for several
    /// questions to the same version.
    public subscript(key: Key) -> Value? { current[key] }

    /// The hidden class of the entries.
    var entriesName: String { entry.schema.elementsName(of: entry.schema.properties[property]) }

    /// The number of entries now.
    public var count: Int { current.count }

    /// Whether there are no entries now.
    public var isEmpty: Bool { current.isEmpty }

    /// The keys now, ascending.
    public var keys: [Key] { current.keys }

    /// The changes of the map, from its state when the iteration starts.
    public var changes: MapChanges<Key, Value> { changes() }

    /// The changes of the map, told by its keys. In a map of objects, an entry is modified also
    /// when its object is, or one that the object reaches through at most 3 links.
    ///
    /// - Parameters:
    ///   - policy: what happens to the commits that come while the consumer is busy.
    ///   - cursor: where to go on from, nil to start with the map as it is.
    public func changes(
        policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil
    ) -> MapChanges<Key, Value> {
        var depth = 0
        // the entry's own link is one more
        if case .map(.object) = entry.schema.properties[property].shape { depth = 4 }
        return changes(.deep(depth), policy, cursor)
    }

    /// As `changes(policy:since:)`, where an entry counts as modified only if its value was set, or
    /// one of these properties of its object: `[\.name, \.owners[0].name]`. Without key paths it is
    /// `changes`.
    ///
    /// - Precondition: the key paths name stored properties.
    public func changes<T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], policy: ChangePolicy = .coalesce,
        since cursor: ChangeCursor? = nil
    ) -> MapChanges<Key, Value> where Value == Frozen<T>? {
        if keyPaths.isEmpty { return changes(policy: policy, since: cursor) }
        let objects = ClassSchema.of(T.self)
        return changes(objects.filter(keyPaths).filter.filter.ofEntries(objects), policy, cursor)
    }

    /// As `changes(keyPaths:policy:since:)`, with the names of properties: `["name",
    /// "owners.name"]`.
    ///
    /// - Throws: `.invalidInput` for a path that does not lead to a stored property; it names the
    ///   property and the class reached.
    @_disfavoredOverload
    public func changes<T: ObjectBase>(
        keyPaths: [String], policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil
    ) throws(Realm.Error) -> MapChanges<Key, Value> where Value == Frozen<T>? {
        if keyPaths.isEmpty { return changes(policy: policy, since: cursor) }
        let objects = ClassSchema.of(T.self)
        let paths = try objects.filter(of: T.self, keyPaths)
        return changes(paths.filter.filter.ofEntries(objects), policy, cursor)
    }

    private func changes(
        _ filter: ChangeFilter, _ policy: ChangePolicy, _ cursor: ChangeCursor?
    ) -> MapChanges<Key, Value> {
        let plan = QueryPlan(tableName: entriesName)
        return MapChanges(
            StreamRequest(
                realm: realm, entry: entry, place: place, plan: _Plan(plan: plan),
                query: StreamQuery(
                    plan, owner: owner, filter: filter,
                    declaredDependencies: declaredDependencies(filter)),
                firstProperties: [], policy: policy, since: cursor, keepsOld: true),
            self)
    }

    /// The classes of which a change can modify an entry, by their declarations.
    private func declaredDependencies(_ filter: ChangeFilter) -> Set<String> {
        guard case .map(.object(let type)) = entry.schema.properties[property].shape else {
            return []
        }
        let objects = ClassSchema.of(type)
        guard case .deep(let depth) = filter else { return objects.dependencies(filter) }
        return objects.dependencies(.deep(max(depth - 1, 0))).union([objects.name])
    }

    /// The map at a version.
    func map(_ table: FrozenTable) -> FrozenMap<Key, Value> {
        make(table, table.mismatch == nil ? owner.list(table.snapshot.root) : nil)
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
        return LiveMap(realm, entry, place, index, owner: owner) { $0.frozenMap($1, index) }
    }

    /// A map of objects.
    ///
    /// - Precondition: the key path names a stored property.
    public subscript<Key, T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, Map<Key, T?>>
    ) -> LiveMap<Key, Frozen<T>?> {
        let (index, owner) = mapOwner(keyPath)
        return LiveMap(realm, entry, place, index, owner: owner) { $0.frozenMap($1, index) }
    }

    /// A map of values of any type. A change within a list or dictionary modifies the entry that it
    /// is in.
    ///
    /// - Precondition: the key path names a stored property.
    public subscript<Key>(
        dynamicMember keyPath: KeyPath<Model, Map<Key, AnyRealmValue>>
    ) -> LiveMap<Key, FrozenAnyValue> {
        let (index, owner) = mapOwner(keyPath)
        return LiveMap(realm, entry, place, index, owner: owner) { $0.frozenAnyMap($1, index) }
    }

    private func mapOwner<V>(_ keyPath: KeyPath<Model, V>) -> (Int, CollectionOwner) {
        let property = entry.schema.requireProperty(keyPath)
        guard let index = entry.schema.property(named: property.name) else {
            preconditionFailure("\(entry.schema.name) has no property \(property.name).")
        }
        return (index, owner(property, .list))
    }
}

extension LiveMap {
    /// The objects of the map that meet a condition, in the order of its keys, each once for each
    /// of its keys. None while there is no such map.
    public func `where`<T: ObjectBase>(
        _ condition: (Query<T>) -> Query<Bool>
    ) -> LiveResults<T> where Value == Frozen<T>? {
        var owner = owner
        owner.leadsThroughEntries = true
        let all = LiveResults<T>(
            realm, realm.entry(for: T.self), place, plan: .all(of: T.self), owner: owner)
        return all.where(condition)
    }
}

extension ChangeFilter {
    /// The filter of the entries of a map whose objects have this one.
    fileprivate func ofEntries(_ objects: ClassSchema) -> ChangeFilter {
        guard case .paths(let paths) = self else { return self }
        let link = Hop.link("value", to: objects.name)
        // also the value itself, which another object may take the place of
        return .paths(
            [ChangePath(last: .property(link.name))]
                + paths.map { ChangePath(hops: [link] + $0.hops, last: $0.last) })
    }
}

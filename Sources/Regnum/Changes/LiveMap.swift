internal import RegnumEngine

/// A live handle to a map of an object: `current` is its current value, and `changes` is a stream
/// of its changes.
///
///     let scores = realm.object(Person.self, forPrimaryKey: 7).scores
///     for try await change in scores.changes { … }
///
/// The map is empty while the object doesn't exist. The handle is cheap and holds no data.
public struct LiveMap<Key: MapKey, Value: Sendable>: Sendable {
    let realm: RealmCore
    /// The class of the object.
    let entry: ClassEntry
    /// The call site that created the handle, reported as the place of its snapshots.
    let place: CallPlace
    /// The property that is the map, or that contains it.
    let property: Int
    let owner: CollectionOwner
    let make: @Sendable (FrozenTable, OwnedList?) -> FrozenMap<Key, Value>

    /// The map in the newest published version. After `close()`, the map in the last version.
    ///
    /// Accessing it inside the body of a write to this realm fails the transaction with
    /// `.invalidInput`; use `tx.object(_:forPrimaryKey:)` there.
    public var current: FrozenMap<Key, Value> {
        map(
            FrozenTable(realm.liveSnapshot(place, entry, "object(_:forPrimaryKey:)"), entry))
    }

    /// The current value for a key, or `nil` if there is no such entry. Use ``current`` to read
    /// several values of the same version.
    public subscript(key: Key) -> Value? { current[key] }

    /// The hidden class of the entries.
    var entriesName: String { entry.schema.elementsName(of: entry.schema.properties[property]) }

    /// The current number of entries.
    public var count: Int { current.count }

    /// Whether there are currently no entries.
    public var isEmpty: Bool { current.isEmpty }

    /// The current keys, in ascending order.
    public var keys: [Key] { current.keys }

    /// The changes of the map, starting with its state when the iteration begins.
    public var changes: MapChanges<Key, Value> { changes() }

    /// Returns the changes of the map, by key. In a map of objects, an entry also counts as
    /// modified when its object, or an object that it reaches through at most 3 links, is modified.
    ///
    /// - Parameters:
    ///   - policy: The handling of commits that arrive while the consumer is busy.
    ///   - cursor: The position to resume from; `nil` starts with the current map.
    ///   - origins: The labels of the commits to skip; see
    ///     ``LiveResults/changes(depth:policy:since:excludingOrigins:)``.
    public func changes(
        policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil,
        excludingOrigins origins: Set<String> = []
    ) -> MapChanges<Key, Value> {
        let property = entry.schema.properties[self.property]
        guard let type = property.shape.objectType else {
            return changes(.deep(0), policy, cursor, origins)
        }
        let objects = ClassSchema.of(type)
        if property.isProjected {
            return changes(.values(of: objects).ofEntries(objects), policy, cursor, origins)
        }
        // the link of the entry itself is one more
        return changes(.deep(4), policy, cursor, origins)
    }

    /// Returns the changes of the map, counting an entry as modified only if its value was set or
    /// one of the given properties of its object changed: `[\.name, \.owners[0].name]`. An empty
    /// array is equivalent to `changes`.
    ///
    /// - Precondition: The key paths refer to stored properties.
    public func changes<T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], policy: ChangePolicy = .coalesce,
        since cursor: ChangeCursor? = nil,
        excludingOrigins origins: Set<String> = []
    ) -> MapChanges<Key, Value> where Value == Frozen<T>? {
        if keyPaths.isEmpty {
            return changes(policy: policy, since: cursor, excludingOrigins: origins)
        }
        let objects = ClassSchema.of(T.self)
        let paths = objects.filter(keyPaths)
        return changes(
            paths.filter.ofEntries(objects), policy, cursor, origins, ends: paths.ends)
    }

    /// Returns the changes of the map for key paths given as strings: `["name", "owners.name"]`.
    /// Otherwise behaves like the function with key paths.
    ///
    /// - Throws: `.invalidInput` for a path that doesn't lead to a stored property; the error names
    ///   the property and the class reached.
    @_disfavoredOverload
    public func changes<T: ObjectBase>(
        keyPaths: [String], policy: ChangePolicy = .coalesce, since cursor: ChangeCursor? = nil,
        excludingOrigins origins: Set<String> = []
    ) throws(Realm.Error) -> MapChanges<Key, Value> where Value == Frozen<T>? {
        if keyPaths.isEmpty {
            return changes(policy: policy, since: cursor, excludingOrigins: origins)
        }
        let objects = ClassSchema.of(T.self)
        let paths = try objects.filter(of: T.self, keyPaths)
        return changes(
            paths.filter.ofEntries(objects), policy, cursor, origins, ends: paths.ends)
    }

    private func changes(
        _ filter: ChangeFilter, _ policy: ChangePolicy, _ cursor: ChangeCursor?,
        _ origins: Set<String>, ends: Set<StoredText> = []
    ) -> MapChanges<Key, Value> {
        changes(
            StreamRequest(
                realm: realm, entry: entry,
                otherEntry: entry.schema.properties[property].shape.objectType.map {
                    realm.entry(for: $0)
                },
                place: place, plan: _Plan(plan: QueryPlan(tableName: entriesName)), owner: owner,
                filter: KeyPathFilter(filter: filter, ends: ends),
                dependencies: declaredDependencies(filter), policy: policy, since: cursor,
                excluded: origins,
                keepsOld: true))
    }

    /// Returns the classes, by their declarations, whose changes can modify an entry.
    private func declaredDependencies(_ filter: ChangeFilter) -> Set<StoredText> {
        guard case .map(.object(let type)) = entry.schema.properties[property].shape else {
            return []
        }
        let objects = ClassSchema.of(type)
        guard case .deep(let depth) = filter else { return objects.dependencies(filter) }
        return objects.dependencies(.deep(max(depth - 1, 0))).union([StoredText(objects.name)])
    }

    /// Returns the map at a version. A class that doesn't match the stored schema fails the read.
    func map(_ table: FrozenTable) -> FrozenMap<Key, Value> {
        if let mismatch = table.mismatch(of: owner) {
            table.snapshot.fail(mismatch)
            return make(table, nil)
        }
        return make(table, table.checked(key: owner.key) { owner.list(table.snapshot.root) })
    }
}

extension Live {
    /// A live handle to a map of values.
    ///
    /// - Precondition: The key path refers to a stored property.
    public subscript<Key, Value: ScalarValue & MapValue & Sendable>(
        dynamicMember keyPath: KeyPath<Model, Map<Key, Value>>
    ) -> LiveMap<Key, Value> {
        let (index, owner) = mapOwner(keyPath)
        return LiveMap(realm: realm, entry: entry, place: place, property: index, owner: owner) {
            $0.frozenMap($1, index)
        }
    }

    /// A live handle to a map of objects.
    ///
    /// - Precondition: The key path refers to a stored property.
    public subscript<Key, T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, Map<Key, T?>>
    ) -> LiveMap<Key, Frozen<T>?> {
        let (index, owner) = mapOwner(keyPath)
        return LiveMap(realm: realm, entry: entry, place: place, property: index, owner: owner) {
            $0.frozenMap($1, index)
        }
    }

    /// A live handle to a map of `AnyRealmValue`. A change inside a list or dictionary counts as a
    /// modification of the entry that contains it.
    ///
    /// - Precondition: The key path refers to a stored property.
    public subscript<Key>(
        dynamicMember keyPath: KeyPath<Model, Map<Key, AnyRealmValue>>
    ) -> LiveMap<Key, FrozenAnyValue> {
        let (index, owner) = mapOwner(keyPath)
        return LiveMap(realm: realm, entry: entry, place: place, property: index, owner: owner) {
            $0.frozenAnyMap($1, index)
        }
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
    /// Returns the objects of the map that match a condition, in the order of the map's keys. An
    /// object occurs once for each of its keys. Empty while the map doesn't exist.
    public func `where`<T: ObjectBase>(
        _ condition: (Query<T>) -> Query<Bool>
    ) -> LiveResults<T> where Value == Frozen<T>? {
        var owner = owner
        owner.leadsThroughEntries = true
        let all = LiveResults<T>(
            realm: realm, entry: realm.entry(for: T.self), place: place, _plan: .all(of: T.self),
            owner: owner,
            ownerEntry: entry)
        return all.where(condition)
    }
}

extension ChangeFilter {
    /// Returns the filter for a map's entries whose objects have this filter.
    fileprivate func ofEntries(_ objects: ClassSchema) -> ChangeFilter {
        guard case .paths(let paths) = self else { return self }
        let link = Hop.link("value", to: objects.name)
        // includes the value itself, which can be replaced by another object
        return .paths(
            [ChangePath(last: .property(link.$name))]
                + paths.map { ChangePath(hops: [link] + $0.hops, last: $0.last) })
    }
}

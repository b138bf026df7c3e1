internal import RegnumEngine

extension Live {
    /// The values of a list of any type, in its order. A change within a list or dictionary modifies the
    /// value that it is in.
    ///
    /// - Precondition: the key path names a stored property.
    public subscript(
        dynamicMember keyPath: KeyPath<Model, List<AnyRealmValue>>
    ) -> LiveValues<FrozenAnyValue> {
        values(entry.schema.requireProperty(keyPath), nil)
    }

    /// The values of a set of any type, ascending.
    ///
    /// - Precondition: the key path names a stored property.
    public subscript(
        dynamicMember keyPath: KeyPath<Model, MutableSet<AnyRealmValue>>
    ) -> LiveValues<FrozenAnyValue> {
        values(entry.schema.requireProperty(keyPath), nil)
    }

    /// What lies in the list that a property of any type has, in its order, or the values of its dictionary
    /// in the order of their keys; nothing while it has another value. A change deeper within modifies the
    /// value that it is in; ``LiveValues/at(_:)-(String)`` leads to what lies there.
    ///
    /// - Precondition: the key path names a stored property.
    public subscript(
        dynamicMember keyPath: KeyPath<Model, AnyRealmValue>
    ) -> LiveValues<FrozenAnyValue> {
        let property = entry.schema.requireProperty(keyPath)
        return values(property, NestedCollection(column: property.columnName))
    }

    private func values(
        _ property: PropertySchema, _ nested: NestedCollection?
    ) -> LiveValues<FrozenAnyValue> {
        var owner = owner(property, .list)
        if nested != nil { owner.name = property.anyItemsName }
        owner.nested = nested
        return LiveValues(
            realm, entry, place,
            plan: QueryPlan(tableName: entry.schema.elementsName(of: property)), owner: owner)
    }
}

extension LiveValues where Element == FrozenAnyValue {
    /// What lies in the list or dictionary that this dictionary has under a key: a list's values in its
    /// order, a dictionary's in the order of its keys. Nothing while there is none, or this is no
    /// dictionary.
    ///
    ///     let tags = realm.object(Note.self, forPrimaryKey: 1).content.at("tags")
    ///     for try await change in tags.changes { … }
    ///
    /// The handle names a place, not what lies there now: when another list comes there, the stream tells
    /// that the values of the former went and those of the other came.
    public func at(_ key: String) -> LiveValues<FrozenAnyValue> { at(.key(Array(key.utf8))) }

    /// What lies in the list or dictionary at a position of this list, as ``at(_:)-(String)``. When elements
    /// before it come and go, another one lies there.
    public func at(_ position: Int) -> LiveValues<FrozenAnyValue> { at(.position(position)) }

    private func at(_ step: NestedCollection.Step) -> LiveValues<FrozenAnyValue> {
        LiveValues(realm, entry, place, plan: plan, owner: owner.at(step))
    }

    /// The dictionary that lies here, told by its keys; empty while there is none, or a list.
    public var dictionary: LiveMap<String, FrozenAnyValue> {
        let schema = entry.schema
        let index = schema.properties.firstIndex {
            schema.elementsName(of: $0) == plan.tableName
        }
        guard let index else { preconditionFailure("\(plan.tableName) is no property.") }
        var owner = owner
        var nested = owner.nested ?? NestedCollection(column: nil)
        nested.isDictionary = true
        owner.nested = nested
        return LiveMap(realm, entry, place, index, owner: owner) { $0.frozenAnyMap($1, index) }
    }
}

extension LiveMap where Value == FrozenAnyValue {
    /// What lies in the list or dictionary that the map has under a key, as
    /// ``LiveValues/at(_:)-(String)``.
    public func at(_ key: Key) -> LiveValues<FrozenAnyValue> {
        LiveValues(
            realm, entry, place, plan: QueryPlan(tableName: entriesName),
            owner: owner.at(.key(Array(key._text.utf8))))
    }
}

extension CollectionOwner {
    /// What lies in this collection.
    fileprivate func at(_ step: NestedCollection.Step) -> CollectionOwner {
        var owner = self
        var nested = nested ?? NestedCollection(column: nil)
        nested.steps.append(step)
        nested.isDictionary = false
        owner.nested = nested
        return owner
    }
}

internal import RegnumEngine

extension Live {
    /// A live handle to a list's values in list order. A change within a nested list or dictionary
    /// counts as a modification of the value that contains it.
    ///
    /// - Precondition: The key path refers to a stored property.
    public subscript(
        dynamicMember keyPath: KeyPath<Model, List<AnyRealmValue>>
    ) -> LiveValues<FrozenAnyValue> {
        values(entry.schema.requireProperty(keyPath), nil)
    }

    /// A live handle to a set's values in ascending order.
    ///
    /// - Precondition: The key path refers to a stored property.
    public subscript(
        dynamicMember keyPath: KeyPath<Model, MutableSet<AnyRealmValue>>
    ) -> LiveValues<FrozenAnyValue> {
        values(entry.schema.requireProperty(keyPath), nil)
    }

    /// A live handle to the contents of an `AnyRealmValue` property: the elements of its list in
    /// list order, or the values of its dictionary in key order. Empty while the property has any
    /// other value. A change deeper in the value counts as a modification of the element that
    /// contains it; use ``LiveValues/at(_:)-(String)`` to observe nested collections.
    ///
    /// - Precondition: The key path refers to a stored property.
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
            realm: realm, entry: entry, place: place,
            plan: QueryPlan(tableName: entry.schema.elementsName(of: property)), owner: owner)
    }
}

extension LiveValues where Element == FrozenAnyValue {
    /// Returns a live handle to the list or dictionary stored under a key of this dictionary: to
    /// its elements in list order, or its values in key order. The result is empty if there is no
    /// such collection, or if this is not a dictionary.
    ///
    ///     let tags = realm.object(Note.self, forPrimaryKey: 1).content.at("tags")
    ///     for try await change in tags.changes { … }
    ///
    /// The handle follows the key, not a particular collection: when the collection under the key
    /// is replaced, change streams report the old values as deleted and the new ones as inserted.
    public func at(_ key: String) -> LiveValues<FrozenAnyValue> { at(.key(Array(key.utf8))) }

    /// Returns a live handle to the list or dictionary at an index of this list, like
    /// ``at(_:)-(String)``. The handle follows the index: inserting or deleting elements before it
    /// makes it show a different collection.
    public func at(_ position: Int) -> LiveValues<FrozenAnyValue> { at(.position(position)) }

    private func at(_ step: NestedCollection.Step) -> LiveValues<FrozenAnyValue> {
        LiveValues(realm: realm, entry: entry, place: place, plan: plan, owner: owner.at(step))
    }

    /// A live handle to the entries of this dictionary, by key. Empty if there is no collection
    /// here, or if it is a list.
    public var dictionary: LiveMap<String, FrozenAnyValue> {
        let schema = entry.schema
        guard let index = schema.property(withElements: plan.tableName) else {
            preconditionFailure("\(plan.tableName) is not a property.")
        }
        var owner = owner
        var nested = owner.nested ?? NestedCollection(column: nil)
        nested.isDictionary = true
        owner.nested = nested
        return LiveMap(realm: realm, entry: entry, place: place, property: index, owner: owner) {
            $0.frozenAnyMap($1, index)
        }
    }
}

extension LiveMap where Value == FrozenAnyValue {
    /// Returns a live handle to the list or dictionary stored under a key of the map, like
    /// ``LiveValues/at(_:)-(String)``.
    public func at(_ key: Key) -> LiveValues<FrozenAnyValue> {
        LiveValues(
            realm: realm, entry: entry, place: place, plan: QueryPlan(tableName: entriesName),
            owner: owner.at(.key(Array(key._text.utf8))))
    }
}

extension CollectionOwner {
    /// Returns the owner of a collection nested in this one.
    fileprivate func at(_ step: NestedCollection.Step) -> CollectionOwner {
        var owner = self
        var nested = nested ?? NestedCollection(column: nil)
        nested.steps.append(step)
        nested.isDictionary = false
        owner.nested = nested
        return owner
    }
}

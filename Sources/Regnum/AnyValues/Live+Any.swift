internal import RegnumEngine

extension Live {
    /// The values of a list of any type, in its order. A change within a list or dictionary modifies the
    /// value that it is in.
    ///
    /// - Precondition: the key path names a stored property.
    public subscript(
        dynamicMember keyPath: KeyPath<Model, List<AnyRealmValue>>
    ) -> LiveValues<FrozenAnyValue> {
        values(entry.schema.requireProperty(keyPath)) { $0.name }
    }

    /// The values of a set of any type, ascending.
    ///
    /// - Precondition: the key path names a stored property.
    public subscript(
        dynamicMember keyPath: KeyPath<Model, MutableSet<AnyRealmValue>>
    ) -> LiveValues<FrozenAnyValue> {
        values(entry.schema.requireProperty(keyPath)) { $0.name }
    }

    /// What lies in the list that a property of any type has, in its order, or the values of its dictionary
    /// in the order of their keys; nothing while it has another value. A change deeper within modifies the
    /// value that it is in.
    ///
    /// - Precondition: the key path names a stored property.
    public subscript(
        dynamicMember keyPath: KeyPath<Model, AnyRealmValue>
    ) -> LiveValues<FrozenAnyValue> {
        values(entry.schema.requireProperty(keyPath)) { $0.anyItemsName }
    }

    private func values(
        _ property: PropertySchema, _ list: (PropertySchema) -> String
    ) -> LiveValues<FrozenAnyValue> {
        LiveValues(
            realm, entry, plan: QueryPlan(tableName: entry.schema.elementsName(of: property)),
            owner: CollectionOwner(
                tableName: entry.schema.name, keyColumn: keyProperty.name, key: key, kind: .list,
                name: list(property)))
    }
}

internal import RegnumEngine

// Frozen and live sets.

extension Frozen {
    /// The objects of a set, in creation order.
    public subscript<T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, MutableSet<T>>
    ) -> FrozenResults<T> {
        let place = collectionPlace(keyPath)
        return place.table.results(T.self, place.row, place.property)
    }

    /// The values of a set in ascending order.
    public subscript<Value: ScalarValue & RealmCollectionValue & Sendable>(
        dynamicMember keyPath: KeyPath<Model, MutableSet<Value>>
    ) -> FrozenValues<Value> {
        let place = collectionPlace(keyPath)
        return place.table.values(place.row, place.property)
    }
}

extension Live {
    /// A live handle to a set's objects, in creation order.
    ///
    /// - Precondition: The key path refers to a stored property.
    public subscript<T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, MutableSet<T>>
    ) -> LiveResults<T> {
        collection(entry.schema.requireProperty(keyPath), .list)
    }

    /// A live handle to a set's values, in ascending order.
    ///
    /// - Precondition: The key path refers to a stored property.
    public subscript<Value: ScalarValue & RealmCollectionValue & Sendable>(
        dynamicMember keyPath: KeyPath<Model, MutableSet<Value>>
    ) -> LiveValues<Value> {
        liveValues(entry.schema.requireProperty(keyPath))
    }
}

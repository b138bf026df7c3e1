internal import RegnumEngine

// Frozen and live sets.

extension Frozen {
    /// The objects of a set, in creation order.
    ///
    /// - Complexity: O(1). The objects are looked up when the result is used.
    public subscript<T: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, MutableSet<T>>
    ) -> FrozenResults<T> {
        table.compute(Model.self, row) { model in
            guard let set = model[keyPath: keyPath].handle else { trapUnmanaged(keyPath) }
            return table.other(set.binding.schema.type).results(T.self, set.row, set.property)
        }
    }

    /// The values of a set in ascending order.
    ///
    /// - Complexity: O(1). The values are looked up when the result is used.
    public subscript<Value: ScalarValue & RealmCollectionValue & Sendable>(
        dynamicMember keyPath: KeyPath<Model, MutableSet<Value>>
    ) -> FrozenValues<Value> {
        table.compute(Model.self, row) { model in
            guard let set = model[keyPath: keyPath].handle else { trapUnmanaged(keyPath) }
            return table.other(set.binding.schema.type).values(set.row, set.property)
        }
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

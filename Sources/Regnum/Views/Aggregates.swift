internal import RegnumEngine
internal import RegnumStore

extension Results {
    /// The sum of a property; nil values are left out, and the sum of nothing is 0.
    ///
    /// A sum of integers that does not fit into an `Int` fails the transaction.
    /// - Precondition: the key path names a stored property.
    /// - Complexity: O(n), without making objects; not more than the rows that an index finds.
    public func sum<V: SummableValue>(of keyPath: KeyPath<Model, V>) -> V.Required {
        let column = ClassSchema.of(Model.self).requireProperty(keyPath).reference
        let zero = V.Required._storage.zero
        return V.Required.fromEngine(
            ask(zero) { state throws(StoreError) in try _plan.plan.sum(of: column, state) })
    }

    /// The mean of a property; nil values are left out; nil for nothing.
    ///
    /// - Precondition: the key path names a stored property.
    public func average<V: SummableValue>(of keyPath: KeyPath<Model, V>) -> Double? {
        let column = ClassSchema.of(Model.self).requireProperty(keyPath).reference
        return ask(nil) { state throws(StoreError) in
            try _plan.plan.average(of: column, state)
        }
    }

    /// The least value of a property; nil values and NaN are left out; nil for nothing.
    ///
    /// - Precondition: the key path names a stored property.
    public func min<V: BoundedValue>(of keyPath: KeyPath<Model, V>) -> V.Required? {
        let column = ClassSchema.of(Model.self).requireProperty(keyPath).reference
        return ask(nil) { state throws(StoreError) in
            try _plan.plan.minimum(of: column, state)
        }.map { V.Required.fromEngine($0) }
    }

    /// The greatest value of a property; nil values and NaN are left out; nil for nothing.
    ///
    /// - Precondition: the key path names a stored property.
    public func max<V: BoundedValue>(of keyPath: KeyPath<Model, V>) -> V.Required? {
        let column = ClassSchema.of(Model.self).requireProperty(keyPath).reference
        return ask(nil) { state throws(StoreError) in
            try _plan.plan.maximum(of: column, state)
        }.map { V.Required.fromEngine($0) }
    }
}

extension FrozenResults {
    /// The sum of a property; nil values are left out, and the sum of nothing is 0.
    ///
    /// A sum of integers that does not fit into an `Int` goes to the log as an error, and is 0.
    /// - Precondition: the key path names a stored property.
    /// - Complexity: O(n), without making objects; not more than the rows that an index finds.
    public func sum<V: SummableValue>(of keyPath: KeyPath<Model, V>) -> V.Required {
        let column = ClassSchema.of(Model.self).requireProperty(keyPath).reference
        let zero = V.Required._storage.zero
        return V.Required.fromEngine(
            ask(zero) { state throws(StoreError) in try _plan.plan.sum(of: column, state) })
    }

    /// The mean of a property; nil values are left out; nil for nothing.
    ///
    /// - Precondition: the key path names a stored property.
    public func average<V: SummableValue>(of keyPath: KeyPath<Model, V>) -> Double? {
        let column = ClassSchema.of(Model.self).requireProperty(keyPath).reference
        return ask(nil) { state throws(StoreError) in
            try _plan.plan.average(of: column, state)
        }
    }

    /// The least value of a property; nil values and NaN are left out; nil for nothing.
    ///
    /// - Precondition: the key path names a stored property.
    public func min<V: BoundedValue>(of keyPath: KeyPath<Model, V>) -> V.Required? {
        let column = ClassSchema.of(Model.self).requireProperty(keyPath).reference
        return ask(nil) { state throws(StoreError) in
            try _plan.plan.minimum(of: column, state)
        }.map { V.Required.fromEngine($0) }
    }

    /// The greatest value of a property; nil values and NaN are left out; nil for nothing.
    ///
    /// - Precondition: the key path names a stored property.
    public func max<V: BoundedValue>(of keyPath: KeyPath<Model, V>) -> V.Required? {
        let column = ClassSchema.of(Model.self).requireProperty(keyPath).reference
        return ask(nil) { state throws(StoreError) in
            try _plan.plan.maximum(of: column, state)
        }.map { V.Required.fromEngine($0) }
    }
}

internal import RegnumEngine
internal import RegnumStore

// The aggregates of a live collection are those of the newest published version.

extension Queryable {
    /// Returns the sum of a property of the objects, or of linked objects (`\.dog?.age`), ignoring
    /// `nil`. The sum of no values is 0.
    ///
    ///     let total = tx.objects(Order.self).sum(of: \.amount)
    ///
    /// An overflowing sum of integers fails the transaction; for frozen and live results it is an
    /// `.invalidQuery` (see ``Snapshot/read(_:)``).
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    /// - Complexity: O(n), without creating objects; reads only the rows that an index finds, if
    ///   the query uses one.
    public func sum<V: SummableValue>(of keyPath: KeyPath<Model, V>) -> V.Total {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        let zero = V.Total._storage.zero
        return V.Total.fromEngine(
            _ask(zero, through: column.dependencies) { plan, state throws(StoreError) in
                try plan.sum(of: column, state)
            })
    }

    /// Returns the mean of a property, ignoring `nil`, or `nil` if there are no values.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    public func average<V: SummableValue>(of keyPath: KeyPath<Model, V>) -> V.Mean? {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return _ask(nil, through: column.dependencies) { plan, state throws(StoreError) in
            try plan.average(of: column, state)
        }
        .map { V.Mean.fromEngine($0) }
    }

    /// Returns the minimum value of a property, ignoring `nil` and NaN, or `nil` if there is none.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    public func min<V: BoundedValue>(of keyPath: KeyPath<Model, V>) -> V.Required? {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return _ask(nil, through: column.dependencies) { plan, state throws(StoreError) in
            try plan.minimum(of: column, state)
        }
        .map { V.Required.fromEngine($0) }
    }

    /// Returns the maximum value of a property, ignoring `nil` and NaN, or `nil` if there is none.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    public func max<V: BoundedValue>(of keyPath: KeyPath<Model, V>) -> V.Required? {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return _ask(nil, through: column.dependencies) { plan, state throws(StoreError) in
            try plan.maximum(of: column, state)
        }
        .map { V.Required.fromEngine($0) }
    }
}

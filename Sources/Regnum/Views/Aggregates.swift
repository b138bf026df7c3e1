internal import RegnumEngine
internal import RegnumStore

// Of a live collection they are those of the newest published version.

extension Queryable {
    /// The sum of a property, of the objects or of linked ones (`\.dog?.age`); nil values are left out,
    /// and the sum of nothing is 0.
    ///
    /// A sum of integers that does not fit into an `Int` fails the transaction; of frozen and live
    /// results it is an `.invalidQuery` (see ``Snapshot/read(_:)``).
    /// - Precondition: the key path names a stored property, or one of a linked object.
    /// - Complexity: O(n), without making objects; not more than the rows that an index finds.
    public func sum<V: SummableValue>(of keyPath: KeyPath<Model, V>) -> V.Total {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        let zero = V.Total._storage.zero
        return V.Total.fromEngine(
            _ask(zero) { plan, state throws(StoreError) in try plan.sum(of: column, state) })
    }

    /// The mean of a property; nil values are left out; nil for nothing.
    ///
    /// - Precondition: the key path names a stored property, or one of a linked object.
    public func average<V: SummableValue>(of keyPath: KeyPath<Model, V>) -> V.Mean? {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return _ask(nil) { plan, state throws(StoreError) in try plan.average(of: column, state) }
            .map { V.Mean.fromEngine($0) }
    }

    /// The least value of a property; nil values and NaN are left out; nil for nothing.
    ///
    /// - Precondition: the key path names a stored property, or one of a linked object.
    public func min<V: BoundedValue>(of keyPath: KeyPath<Model, V>) -> V.Required? {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return _ask(nil) { plan, state throws(StoreError) in try plan.minimum(of: column, state) }
            .map { V.Required.fromEngine($0) }
    }

    /// The greatest value of a property; nil values and NaN are left out; nil for nothing.
    ///
    /// - Precondition: the key path names a stored property, or one of a linked object.
    public func max<V: BoundedValue>(of keyPath: KeyPath<Model, V>) -> V.Required? {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        return _ask(nil) { plan, state throws(StoreError) in try plan.maximum(of: column, state) }
            .map { V.Required.fromEngine($0) }
    }
}

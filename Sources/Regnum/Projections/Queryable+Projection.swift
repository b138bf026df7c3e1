// Conditions, sorts and aggregates of projections, by the properties of the model. Where the projection
// has a property of the same name, the model's one is meant.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

internal import RegnumEngine

extension Queryable where Model: ClassProjection {
    /// The projections of objects that also meet a condition on the model. Sorting is kept.
    ///
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    public func `where`(_ condition: (Query<Model.Root>) -> Query<Bool>) -> Self {
        filtered(by: condition)
    }

    /// The projections of objects whose `Bool?` property is true.
    @_disfavoredOverload
    public func `where`(_ condition: (Query<Model.Root>) -> Query<Bool?>) -> Self {
        filtered(by: condition)
    }

    /// The projections sorted by a property of the model, or of an object linked to it. A sort that was
    /// there breaks ties.
    ///
    /// - Precondition: the key path names a stored property, or one of a linked object.
    public func sorted<V: ScalarValue>(
        by keyPath: KeyPath<Model.Root, V>, ascending: Bool = true
    ) -> Self {
        sorted(by: [SortOrder<Model.Root>(keyPath, ascending: ascending)])
    }

    /// The projections sorted by several properties of the model, the first one first.
    public func sorted(by orders: SortOrder<Model.Root>...) -> Self {
        sorted(by: orders)
    }

    /// The projections sorted by several properties of the model, the first one first. At most 64 in
    /// all.
    public func sorted(by orders: [SortOrder<Model.Root>]) -> Self {
        var plan = _plan
        plan.plan.addSort(orders.map(\.term))
        return _with(plan)
    }

    /// Of objects with the same values of all these properties of the model the first one.
    ///
    /// - Precondition: the key paths name stored properties that are values, or those of linked
    ///   objects.
    public func distinct(by keyPaths: PartialKeyPath<Model.Root>...) -> Self {
        guard !keyPaths.isEmpty else { return self }
        let schema = ClassSchema.of(Model.Root.self)
        var plan = _plan
        plan.plan.steps.append(.distinct(keyPaths.map { schema.requireColumn($0) }))
        return _with(plan)
    }
}

// The overloads of `where` differ in the result type of the closure, which disambiguates them.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

internal import RegnumEngine

/// The query operations shared by frozen and live results. Each returns results of the same kind.
///
/// ``FrozenResults`` and ``LiveResults`` conform to it. Don't conform your own types. The queries
/// of ``Results`` are in ``RealmCollection``.
public protocol SendableResults: Queryable, Sendable {}

extension FrozenResults: SendableResults {}
extension LiveResults: SendableResults {}

extension SendableResults {
    public func `where`(_ condition: (Query<Model>) -> Query<Bool>) -> Self {
        filtered(by: condition)
    }

    @_disfavoredOverload
    public func `where`(_ condition: (Query<Model>) -> Query<Bool?>) -> Self {
        filtered(by: condition)
    }

    public func filter(_ predicate: String, _ values: Any?...) throws(Realm.Error) -> Self {
        try filtered(by: predicate, .positions(values), modelSchema)
    }

    public func filter(
        _ predicate: String, named values: [String: Any?]
    ) throws(Realm.Error) -> Self {
        try filtered(by: predicate, .names(values), modelSchema)
    }

    /// Returns the position of the first object that also matches a condition given as text, or
    /// `nil` if there is none.
    ///
    /// - Throws: The errors of ``filter(_:_:)``; `.invalidQuery` for text with `SORT`, `DISTINCT`
    ///   or `LIMIT`.
    public func index(
        matching predicate: String, _ values: Any?...
    ) throws(Realm.Error) -> Int? {
        try position(matching: predicate, values, modelSchema)
    }

    public func sorted<V: ScalarValue>(by keyPath: KeyPath<Model, V>) -> Self {
        sorted(by: [SortOrder(keyPath, ascending: true)])
    }

    public func sorted<V: ScalarValue>(by keyPath: KeyPath<Model, V>, ascending: Bool) -> Self {
        sorted(by: [SortOrder(keyPath, ascending: ascending)])
    }

    public func sorted(by orders: SortOrder<Model>...) -> Self { sorted(by: orders) }

    public func sorted(by orders: [SortOrder<Model>]) -> Self { ordered(by: orders) }

    public func sorted(byKeyPath keyPath: String) throws(Realm.Error) -> Self {
        try sorted(byKeyPath: keyPath, ascending: true)
    }

    public func sorted(
        byKeyPath keyPath: String, ascending: Bool
    ) throws(Realm.Error) -> Self {
        ordered(by: [try modelSchema.term(along: keyPath, ascending: ascending)])
    }

    public func distinct(by keyPaths: PartialKeyPath<Model>...) -> Self { distinct(by: keyPaths) }

    public func distinct(by keyPaths: [PartialKeyPath<Model>]) -> Self {
        reduced(by: modelSchema.columns(of: keyPaths))
    }

    public func distinct(byKeyPaths keyPaths: [String]) throws(Realm.Error) -> Self {
        reduced(by: try modelSchema.columns(along: keyPaths))
    }
}

// Conditions, sorts and distinct values of projections, by properties of the model. If the
// projection has a property of the same name, that of the model is used.

extension SendableResults where Model: ClassProjection {
    /// Returns the projections of the objects that also match a condition on the model, preserving
    /// their order.
    ///
    /// - Complexity: O(1): nothing is evaluated until the result is used.
    public func `where`(_ condition: (Query<Model.Root>) -> Query<Bool>) -> Self {
        filtered(by: condition)
    }

    /// Returns the projections of the objects whose `Bool?` property is true.
    @_disfavoredOverload
    public func `where`(_ condition: (Query<Model.Root>) -> Query<Bool?>) -> Self {
        filtered(by: condition)
    }

    /// Returns the projections sorted by a property of the model, or of an object linked to it. A
    /// previous sort breaks ties.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    public func sorted<V: ScalarValue>(by keyPath: KeyPath<Model.Root, V>) -> Self {
        sorted(by: [SortOrder<Model.Root>(keyPath, ascending: true)])
    }

    /// Returns the projections sorted by a property of the model in ascending or descending order.
    public func sorted<V: ScalarValue>(
        by keyPath: KeyPath<Model.Root, V>, ascending: Bool
    ) -> Self {
        sorted(by: [SortOrder<Model.Root>(keyPath, ascending: ascending)])
    }

    /// Returns the projections sorted by several properties of the model, most significant first.
    public func sorted(by orders: SortOrder<Model.Root>...) -> Self { sorted(by: orders) }

    /// Returns the projections sorted by several properties of the model, most significant first. A
    /// query with more than 64 sort properties in total fails with `.invalidQuery`.
    public func sorted(by orders: [SortOrder<Model.Root>]) -> Self {
        ordered(by: orders)
    }

    /// Returns the first projection for each combination of the model properties' values.
    ///
    /// - Precondition: The key paths refer to stored properties, of the model or of linked objects,
    ///   that are values.
    public func distinct(by keyPaths: PartialKeyPath<Model.Root>...) -> Self {
        reduced(by: ClassSchema.of(Model.Root.self).columns(of: keyPaths))
    }
}

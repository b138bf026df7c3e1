// Conditions, sorts and distinct values of projections, by the properties of the model. Where the projection
// has a property of the same name, the model's one is meant.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

internal import RegnumEngine

extension RealmCollection where Element: ClassProjection {
    /// The projections of objects that also meet a condition on the model. Sorting is kept.
    ///
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    public func `where`(_ condition: (Query<Element.Root>) -> Query<Bool>) -> Results<Element> {
        results("where").filtered(by: condition)
    }

    /// The projections of objects whose `Bool?` property is true.
    @_disfavoredOverload
    public func `where`(_ condition: (Query<Element.Root>) -> Query<Bool?>) -> Results<Element> {
        results("where").filtered(by: condition)
    }

    /// The projections sorted by a property of the model, or of an object linked to it. A sort that was
    /// there breaks ties.
    ///
    /// - Precondition: the key path names a stored property, or one of a linked object.
    public func sorted<V: ScalarValue>(by keyPath: KeyPath<Element.Root, V>) -> Results<Element> {
        sorted(by: keyPath, ascending: true)
    }

    /// The same in either direction.
    public func sorted<V: ScalarValue>(
        by keyPath: KeyPath<Element.Root, V>, ascending: Bool
    ) -> Results<Element> {
        sorted(by: [SortOrder<Element.Root>(keyPath, ascending: ascending)])
    }

    /// The projections sorted by several properties of the model, the first one first.
    public func sorted(by orders: SortOrder<Element.Root>...) -> Results<Element> {
        sorted(by: orders)
    }

    /// The projections sorted by several properties of the model, the first one first. At most 64 in
    /// all.
    public func sorted(by orders: [SortOrder<Element.Root>]) -> Results<Element> {
        results("sorted(by:)").ordered(by: orders.map(\.term))
    }

    /// Of objects with the same values of all these properties of the model the first one.
    ///
    /// - Precondition: the key paths name stored properties that are values, or those of linked
    ///   objects.
    public func distinct(by keyPaths: PartialKeyPath<Element.Root>...) -> Results<Element> {
        results("distinct(by:)").reduced(
            by: ClassSchema.of(Element.Root.self).columns(of: keyPaths))
    }
}

// Conditions, sort orders and distinct values of projections refer to properties of the model. If
// the projection has a property of the same name, that of the model is used.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

internal import RegnumEngine

extension RealmCollection where Element: ClassProjection {
    /// Returns the projections of the objects that match a condition on the model, preserving their
    /// order.
    ///
    /// - Complexity: O(1). The query is evaluated when the results are used.
    public func `where`(_ condition: (Query<Element.Root>) -> Query<Bool>) -> Results<Element> {
        results("where").filtered(by: condition)
    }

    /// Returns the projections of the objects whose `Bool?` property is true.
    @_disfavoredOverload
    public func `where`(_ condition: (Query<Element.Root>) -> Query<Bool?>) -> Results<Element> {
        results("where").filtered(by: condition)
    }

    /// Returns the projections sorted by a property of the model or of an object linked to it. An
    /// existing sort order breaks ties.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    public func sorted<V: ScalarValue>(by keyPath: KeyPath<Element.Root, V>) -> Results<Element> {
        sorted(by: keyPath, ascending: true)
    }

    /// Returns the projections sorted by a property of the model in ascending or descending order.
    public func sorted<V: ScalarValue>(
        by keyPath: KeyPath<Element.Root, V>, ascending: Bool
    ) -> Results<Element> {
        sorted(by: [SortOrder<Element.Root>(keyPath, ascending: ascending)])
    }

    /// Returns the projections sorted by several properties of the model, most significant first.
    public func sorted(by orders: SortOrder<Element.Root>...) -> Results<Element> {
        sorted(by: orders)
    }

    /// Returns the projections sorted by several properties of the model, most significant first. A
    /// query with more than 64 sort properties in total fails with `.invalidQuery`.
    public func sorted(by orders: [SortOrder<Element.Root>]) -> Results<Element> {
        results("sorted(by:)").ordered(by: orders)
    }

    /// Returns the first projection for each combination of the model properties' values.
    ///
    /// - Precondition: The key paths refer to stored values, or to those of linked objects.
    public func distinct(by keyPaths: PartialKeyPath<Element.Root>...) -> Results<Element> {
        results("distinct(by:)").reduced(
            by: ClassSchema.of(Element.Root.self).columns(of: keyPaths))
    }
}

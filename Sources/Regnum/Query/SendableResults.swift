// The overloads of `where` differ in the result of the closure: the compiler tells them apart.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

internal import RegnumEngine

/// What frozen and live results have in common: a query of them gives results of the same kind.
///
/// The library conforms ``FrozenResults`` and ``LiveResults``; do not conform types of your own. The
/// queries of ``Results`` are those of ``RealmCollection``.
public protocol SendableResults: Queryable, Sendable {}

extension FrozenResults: SendableResults {}
extension LiveResults: SendableResults {}

/// Results that know the class of their objects, of which `Model` may be a superclass: the static type
/// of a metatype in a variable.
private protocol ResultsOfClass {
    var schema: ClassSchema { get }
}

extension FrozenResults: ResultsOfClass {
    fileprivate var schema: ClassSchema { table.schema }
}

extension LiveResults: ResultsOfClass {
    fileprivate var schema: ClassSchema { entry.schema }
}

extension SendableResults {
    private var modelSchema: ClassSchema {
        (self as? any ResultsOfClass)?.schema ?? ClassSchema.of(Model.self)
    }
}

extension SendableResults {
    public func `where`(_ condition: (Query<Model>) -> Query<Bool>) -> Self {
        filtered(by: condition)
    }

    @_disfavoredOverload
    public func `where`(_ condition: (Query<Model>) -> Query<Bool?>) -> Self {
        filtered(by: condition)
    }

    public func sorted<V: ScalarValue>(by keyPath: KeyPath<Model, V>) -> Self {
        sorted(by: [SortOrder(keyPath, ascending: true)])
    }

    public func sorted<V: ScalarValue>(by keyPath: KeyPath<Model, V>, ascending: Bool) -> Self {
        sorted(by: [SortOrder(keyPath, ascending: ascending)])
    }

    public func sorted(by orders: SortOrder<Model>...) -> Self { sorted(by: orders) }

    public func sorted(by orders: [SortOrder<Model>]) -> Self { ordered(by: orders.map(\.term)) }

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

// Conditions, sorts and distinct values of projections, by the properties of the model. Where the projection
// has a property of the same name, the model's one is meant.

extension SendableResults where Model: ClassProjection {
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
    public func sorted<V: ScalarValue>(by keyPath: KeyPath<Model.Root, V>) -> Self {
        sorted(by: [SortOrder<Model.Root>(keyPath, ascending: true)])
    }

    /// The same in either direction.
    public func sorted<V: ScalarValue>(
        by keyPath: KeyPath<Model.Root, V>, ascending: Bool
    ) -> Self {
        sorted(by: [SortOrder<Model.Root>(keyPath, ascending: ascending)])
    }

    /// The projections sorted by several properties of the model, the first one first.
    public func sorted(by orders: SortOrder<Model.Root>...) -> Self { sorted(by: orders) }

    /// The projections sorted by several properties of the model, the first one first. At most 64 in
    /// all.
    public func sorted(by orders: [SortOrder<Model.Root>]) -> Self {
        ordered(by: orders.map(\.term))
    }

    /// Of objects with the same values of all these properties of the model the first one.
    ///
    /// - Precondition: the key paths name stored properties that are values, or those of linked
    ///   objects.
    public func distinct(by keyPaths: PartialKeyPath<Model.Root>...) -> Self {
        reduced(by: ClassSchema.of(Model.Root.self).columns(of: keyPaths))
    }
}

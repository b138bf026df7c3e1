// The overloads of `where` differ in the result of the closure: the compiler tells them apart.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

internal import RegnumEngine

/// What lists of objects and linking objects have in common: queries, which give ``Results`` in the
/// order of the collection, each object as often as it is in it.
///
/// The library conforms ``List``, ``MutableSet``, ``LinkingObjects`` and ``AnyRealmCollection``; do not conform types of your own.
public protocol ObjectCollection: RealmCollection where Element: ObjectBase {
    /// The objects as results; nil for an unmanaged collection.
    var _results: Results<Element>? { get }
    /// The type and, of a managed one, the property, for sentences.
    var _name: String { get }
}

extension ObjectCollection {
    /// The objects that meet a condition, in the order of the collection.
    ///
    /// - Precondition: the collection is managed.
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    public func `where`(_ condition: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        results("where").where(condition)
    }

    /// The objects whose `Bool?` property is true.
    @_disfavoredOverload
    public func `where`(_ condition: (Query<Element>) -> Query<Bool?>) -> Results<Element> {
        results("where").where(condition)
    }

    /// The objects sorted by a property, of the object or of a linked one (`\.owner?.name`). Ties stay
    /// in the order of the collection.
    ///
    /// - Precondition: the collection is managed; the key path names a stored property, or one of
    ///   a linked object.
    public func sorted<V: ScalarValue>(
        by keyPath: KeyPath<Element, V>, ascending: Bool = true
    ) -> Results<Element> {
        results("sorted(by:)").sorted(by: keyPath, ascending: ascending)
    }

    /// The objects sorted by several properties, the first one first.
    public func sorted(by orders: SortOrder<Element>...) -> Results<Element> {
        results("sorted(by:)").sorted(by: orders)
    }

    /// The objects sorted by several properties, the first one first. At most 64 in all.
    public func sorted(by orders: [SortOrder<Element>]) -> Results<Element> {
        results("sorted(by:)").sorted(by: orders)
    }

    /// Of objects with the same values of all these properties the first one, in the order of the
    /// collection. Nil equals nil; objects for which a link on the way to a property is nil are left
    /// out.
    ///
    /// - Precondition: as `sorted(by:)`.
    public func distinct(by keyPaths: PartialKeyPath<Element>...) -> Results<Element> {
        results("distinct(by:)").distinct(by: keyPaths)
    }

    /// As `distinct(by:)` of several key paths.
    public func distinct(by keyPaths: [PartialKeyPath<Element>]) -> Results<Element> {
        results("distinct(by:)").distinct(by: keyPaths)
    }

    /// The position of the first object that meets a condition, nil if none does.
    ///
    /// - Precondition: the collection is managed: `firstIndex(where:)` serves all of them.
    public func index(matching condition: (Query<Element>) -> Query<Bool>) -> Int? {
        results("index(matching:)").index(matching: condition)
    }

    func results(_ call: StaticString) -> Results<Element> {
        if let results = _results { return results }
        fatalError(
            "\(call) was called on an unmanaged \(_name): queries are asked of what is stored. Add "
                + "its object to a realm first.")
    }
}

// MARK: Aggregates

extension ObjectCollection {
    /// The sum of a property over the objects, each as often as it is there; nil values are left out,
    /// and the sum of nothing is 0.
    ///
    /// A sum of integers that does not fit into an `Int` fails the transaction; of an unmanaged list it
    /// ends the process.
    public func sum<V: SummableValue>(of keyPath: KeyPath<Element, V>) -> V.Total {
        _results?.sum(of: keyPath) ?? map { $0[keyPath: keyPath] }.engineSum()
    }

    /// The mean of a property; nil values are left out; nil for nothing.
    public func average<V: SummableValue>(of keyPath: KeyPath<Element, V>) -> V.Mean? {
        if let results = _results { return results.average(of: keyPath) }
        return map { $0[keyPath: keyPath] }.engineAverage()
    }

    /// The least value of a property; nil values and NaN are left out; nil for nothing.
    public func min<V: BoundedValue>(of keyPath: KeyPath<Element, V>) -> V.Required? {
        if let results = _results { return results.min(of: keyPath) }
        return map { $0[keyPath: keyPath] }.engineBound { $0 < 0 }
    }

    /// The greatest value of a property; nil values and NaN are left out; nil for nothing.
    public func max<V: BoundedValue>(of keyPath: KeyPath<Element, V>) -> V.Required? {
        if let results = _results { return results.max(of: keyPath) }
        return map { $0[keyPath: keyPath] }.engineBound { $0 > 0 }
    }
}

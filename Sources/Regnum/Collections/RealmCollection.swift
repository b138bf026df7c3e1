internal import RegnumEngine

/// What the collections of a realm have in common, for code that takes any of them: ``Results``, ``List``,
/// ``MutableSet``, ``LinkingObjects`` and ``AnyRealmCollection``.
///
///     func operateOn<C: RealmCollection>(collection: C) {
///         print("operating on collection containing \(collection.count) objects")
///     }
///
/// All are random-access collections with positions from 0, confined to the transaction body like their
/// elements. The library conforms its collections; do not conform types of your own.
public protocol RealmCollection<Element>: RandomAccessCollection
where Element: RealmCollectionValue, Index == Int {
    /// The elements' type, as older code names it.
    typealias ElementType = Element

    /// The realm of the collection: nil for an unmanaged one, and where nobody holds the realm any more.
    var realm: Realm? { get }
    /// Whether the object that the collection belongs to was deleted, or its transaction is over. Of results
    /// only the latter: rows that are deleted leave them. False for an unmanaged collection.
    var isInvalidated: Bool { get }
    /// The position of an element, the first one where it is there several times; nil if it is not there.
    func index(of element: Element) -> Int?
    /// The objects as results, without their type; nil for values and for what is unmanaged.
    var _erasedResults: Any? { get }
    /// The stored values; nil for objects and for what is unmanaged.
    var _storedValues: _ManagedList? { get }
}

extension RealmCollection {
    public var _erasedResults: Any? { (self as? any ObjectCollection)?._anyResults }

    public var _storedValues: _ManagedList? { nil }

    public func index(of element: Element) -> Int? {
        firstIndex { Element._areSame($0, element) }
    }

    /// The elements at positions, in the order of the positions.
    ///
    /// - Precondition: all positions are in `0..<count`.
    public func objects(at positions: some Sequence<Int>) -> [Element] {
        positions.map { self[$0] }
    }
}

extension ObjectCollection {
    fileprivate var _anyResults: Any? { _results }
}

extension Results: RealmCollection {
    public var _erasedResults: Any? { self }
}

extension List: RealmCollection {
    public var _storedValues: _ManagedList? { Element.self is ObjectBase.Type ? nil : handle }
}

extension MutableSet: RealmCollection {
    public var _storedValues: _ManagedList? { Element.self is ObjectBase.Type ? nil : handle }
}

extension LinkingObjects: RealmCollection {}

// MARK: Objects of any collection

// Each collection has these methods of its own, with results of its own type: generic code finds these.

extension RealmCollection where Element: ObjectBase {
    /// The objects that meet a condition, in the order of the collection.
    ///
    /// - Precondition: the collection is managed.
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    @_disfavoredOverload
    public func `where`(_ condition: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        requireResults("where").where(condition)
    }

    /// The objects sorted by a property, of the object or of a linked one. Ties stay in the order of the
    /// collection.
    ///
    /// - Precondition: the collection is managed; the key path names a stored property, or one of
    ///   a linked object.
    @_disfavoredOverload
    public func sorted<V: ScalarValue>(
        by keyPath: KeyPath<Element, V>, ascending: Bool = true
    ) -> Results<Element> {
        requireResults("sorted(by:)").sorted(by: keyPath, ascending: ascending)
    }

    /// The objects sorted by several properties, the first one first. At most 64 in all.
    @_disfavoredOverload
    public func sorted(by orders: [SortOrder<Element>]) -> Results<Element> {
        requireResults("sorted(by:)").sorted(by: orders)
    }

    /// Of objects with the same values of all these properties the first one.
    ///
    /// - Precondition: as `sorted(by:)`.
    @_disfavoredOverload
    public func distinct(by keyPaths: [PartialKeyPath<Element>]) -> Results<Element> {
        requireResults("distinct(by:)").distinct(by: keyPaths)
    }

    /// The position of the first object that meets a condition, nil if none does.
    ///
    /// - Precondition: the collection is managed: `firstIndex(where:)` serves all of them.
    @_disfavoredOverload
    public func index(matching condition: (Query<Element>) -> Query<Bool>) -> Int? {
        requireResults("index(matching:)").index(matching: condition)
    }

    /// The sum of a property over the objects; nil values are left out, and the sum of nothing is 0.
    @_disfavoredOverload
    public func sum<V: SummableValue>(of keyPath: KeyPath<Element, V>) -> V.Total {
        results?.sum(of: keyPath) ?? map { $0[keyPath: keyPath] }.engineSum()
    }

    /// The mean of a property; nil values are left out; nil for nothing.
    @_disfavoredOverload
    public func average<V: SummableValue>(of keyPath: KeyPath<Element, V>) -> V.Mean? {
        if let results { return results.average(of: keyPath) }
        return map { $0[keyPath: keyPath] }.engineAverage()
    }

    /// The least value of a property; nil values and NaN are left out; nil for nothing.
    @_disfavoredOverload
    public func min<V: BoundedValue>(of keyPath: KeyPath<Element, V>) -> V.Required? {
        if let results { return results.min(of: keyPath) }
        return map { $0[keyPath: keyPath] }.engineBound { $0 < 0 }
    }

    /// The greatest value of a property; nil values and NaN are left out; nil for nothing.
    @_disfavoredOverload
    public func max<V: BoundedValue>(of keyPath: KeyPath<Element, V>) -> V.Required? {
        if let results { return results.max(of: keyPath) }
        return map { $0[keyPath: keyPath] }.engineBound { $0 > 0 }
    }

    /// Sets one property of all objects that are there now.
    ///
    /// - Throws: as `Results.setValue`.
    /// - Precondition: used in a write if the collection is managed.
    @_disfavoredOverload
    public func setValue(_ value: Any?, forKey name: String) throws(Realm.Error) {
        if let results { return try results.setValue(value, forKey: name) }
        try BulkAssignment(ClassSchema.of(Element.self), name, value, nil).assign(to: Array(self))
    }

    private var results: Results<Element>? { _erasedResults as? Results<Element> }

    private func requireResults(_ call: StaticString) -> Results<Element> {
        if let results { return results }
        fatalError(
            "\(call) was called on an unmanaged collection of \(Element.self): queries are asked of what "
                + "is stored. Add its object to a realm first.")
    }
}

// MARK: Values of any collection

extension RealmCollection where Element: SummableValue {
    /// The sum of the elements; nil is left out, and the sum of nothing is 0.
    ///
    /// A sum of integers that does not fit into an `Int` fails the transaction; of an unmanaged collection
    /// it ends the process.
    @_disfavoredOverload
    public func sum() -> Element.Total { _storedValues?.sum(Element.self) ?? engineSum() }

    /// The mean of the elements; nil is left out; nil for nothing.
    @_disfavoredOverload
    public func average() -> Element.Mean? {
        guard let values = _storedValues else { return engineAverage() }
        return values.average(Element.self)
    }
}

extension RealmCollection where Element: BoundedValue {
    /// The least element; nil and NaN are left out; nil for nothing.
    @_disfavoredOverload
    public func min() -> Element.Required? {
        guard let values = _storedValues else { return engineBound { $0 < 0 } }
        return values.min(Element.self)
    }

    /// The greatest element; nil and NaN are left out; nil for nothing.
    @_disfavoredOverload
    public func max() -> Element.Required? {
        guard let values = _storedValues else { return engineBound { $0 > 0 } }
        return values.max(Element.self)
    }
}

extension RealmCollection where Element: ScalarValue {
    /// The elements from small to large, or the other way round: nil first, then NaN, strings by their
    /// bytes, false before true. Equal ones keep their order.
    ///
    /// - Complexity: O(n log n)
    @_disfavoredOverload
    public func sorted(ascending: Bool) -> [Element] { ordered(ascending: ascending) }

    /// The elements, of equal ones the first; nil equals nil and NaN equals NaN.
    ///
    /// - Complexity: O(n)
    @_disfavoredOverload
    public func distinct() -> [Element] {
        var known: Set<Value> = []
        return filter { known.insert($0.engineValue.canonical).inserted }
    }
}

internal import RegnumEngine

// Aggregates, sorting and freezing of value collections, and the encoding of all collections.

extension RealmCollection where Element: SummableValue {
    /// Returns the sum of the elements, ignoring `nil`; 0 if there are none.
    ///
    /// Integer overflow fails the transaction; in an unmanaged collection, it traps.
    public func sum() -> Element.Total { erased.storedValues?.sum(Element.self) ?? engineSum() }

    /// Returns the average of the elements, ignoring `nil`; `nil` if there are none.
    public func average() -> Element.Mean? {
        guard let values = erased.storedValues else { return engineAverage() }
        return values.average(Element.self)
    }
}

extension RealmCollection where Element: BoundedValue {
    /// Returns the minimum element, ignoring `nil` and NaN; `nil` if there are none.
    public func min() -> Element.Required? { bound(.minimum) }

    /// Returns the maximum element, ignoring `nil` and NaN; `nil` if there are none.
    public func max() -> Element.Required? { bound(.maximum) }
}

// More specific than the standard library's methods for `Comparable` elements, so
// that these are used.
extension RealmCollection where Element: BoundedValue & Comparable {
    /// Returns the minimum element, ignoring `nil` and NaN; `nil` if there are none.
    public func min() -> Element.Required? { bound(.minimum) }

    /// Returns the maximum element, ignoring `nil` and NaN; `nil` if there are none.
    public func max() -> Element.Required? { bound(.maximum) }
}

extension RealmCollection where Element: ScalarValue {
    /// Returns the minimum or maximum element as a type that is stored like the elements.
    func bound<Bound: RequiredValue>(_ extreme: Extreme) -> Bound? {
        guard let values = erased.storedValues else { return engineBound(extreme) }
        return values.bound(extreme)
    }

    /// Returns the elements sorted by value: `nil` first, then NaN; strings by their UTF-8 bytes;
    /// `false` before `true`. The sort is stable.
    ///
    /// - Complexity: O(n log n).
    public func sorted(ascending: Bool) -> [Element] { ordered(ascending: ascending) }

    /// Returns the distinct elements, keeping the first of equal ones; `nil` equals
    /// `nil` and NaN equals NaN.
    ///
    /// - Complexity: O(n).
    public func distinct() -> [Element] {
        var known: Set<Value> = []
        return filter { known.insert($0.engineValue.canonical).inserted }
    }
}

extension RealmCollection where Element: ScalarValue & Sendable {
    /// Returns the values in their state at the start of the transaction, as a `Sendable`
    /// collection. Changes made by the transaction itself aren't included.
    ///
    /// - Throws: `.invalidInput` for the collection of an object that was added or deleted in this
    ///   transaction, and for an unmanaged collection.
    /// - Precondition: The transaction body is running.
    /// - Complexity: O(1). The values are looked up when the result is used.
    public func freeze() throws(Realm.Error) -> FrozenValues<Element> { try frozenValues() }
}

extension RealmCollection where Element == AnyRealmValue {
    /// Returns the values in their state at the start of the transaction, like `freeze()` for other
    /// values.
    ///
    /// - Throws: `.invalidInput` also for a list that was assigned to an `AnyRealmValue` in this
    ///   transaction.
    public func freeze() throws(Realm.Error) -> FrozenValues<FrozenAnyValue> { try frozenValues() }
}

extension RealmCollection {
    private func frozenValues<Value>() throws(Realm.Error) -> FrozenValues<Value> {
        guard let place = try erased.frozenPlace() else {
            preconditionFailure("Results are not a collection of values.")
        }
        return FrozenValues(FrozenQuery(place.table, place.plan))
    }
}

extension RealmCollection where Element: Encodable {
    /// Encodes the elements as an array; `nil` as null.
    ///
    /// - Throws: Any error thrown by the elements' `encode(to:)`. A synthesized `encode(to:)`
    ///   throws for managed objects (see `Persisted`); encode frozen objects instead.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

extension Results: Encodable where Model: Encodable {}
extension List: Encodable where Element: Encodable {}
extension MutableSet: Encodable where Element: Encodable {}
extension LinkingObjects: Encodable where Element: Encodable {}
extension AnyRealmCollection: Encodable where Element: Encodable {}

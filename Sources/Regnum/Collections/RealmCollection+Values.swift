internal import RegnumEngine

// The aggregates, order and frozen form of collections of values, and the encoding of all.

extension RealmCollection where Element: SummableValue {
    /// The sum of the elements; nil is left out, and the sum of nothing is 0.
    ///
    /// A sum of integers that does not fit into an `Int` fails the transaction; of an unmanaged collection
    /// it ends the process.
    public func sum() -> Element.Total { _storedValues?.sum(Element.self) ?? engineSum() }

    /// The mean of the elements; nil is left out; nil for nothing.
    public func average() -> Element.Mean? {
        guard let values = _storedValues else { return engineAverage() }
        return values.average(Element.self)
    }
}

extension RealmCollection where Element: BoundedValue {
    /// The least element; nil and NaN are left out; nil for nothing.
    public func min() -> Element.Required? { least }

    /// The greatest element; nil and NaN are left out; nil for nothing.
    public func max() -> Element.Required? { greatest }

    private var least: Element.Required? {
        guard let values = _storedValues else { return engineBound { $0 < 0 } }
        return values.min(Element.self)
    }

    private var greatest: Element.Required? {
        guard let values = _storedValues else { return engineBound { $0 > 0 } }
        return values.max(Element.self)
    }
}

// The standard library has these for what is `Comparable`: the more special ones are meant.
extension RealmCollection where Element: BoundedValue & Comparable {
    /// The least element; nil and NaN are left out; nil for nothing.
    public func min() -> Element.Required? { least }

    /// The greatest element; nil and NaN are left out; nil for nothing.
    public func max() -> Element.Required? { greatest }
}

extension RealmCollection where Element: ScalarValue {
    /// The elements from small to large, or the other way round: nil first, then NaN, strings by their
    /// bytes, false before true. Equal ones keep their order.
    ///
    /// - Complexity: O(n log n)
    public func sorted(ascending: Bool) -> [Element] { ordered(ascending: ascending) }

    /// The elements, of equal ones the first; nil equals nil and NaN equals NaN.
    ///
    /// - Complexity: O(n)
    public func distinct() -> [Element] { distinctValues() }
}

extension RealmCollection where Element: ScalarValue & Sendable {
    /// The values as they were when the transaction started: a value that can be sent and kept. What the
    /// transaction itself changed does not show.
    ///
    /// - Throws: `.invalidInput` for the collection of an object that was added or deleted in this
    ///   transaction, and for an unmanaged one.
    /// - Precondition: the body is running.
    /// - Complexity: O(1): nothing is looked up before the result is used.
    public func freeze() throws(Realm.Error) -> FrozenValues<Element> { try frozenValues() }
}

extension RealmCollection where Element == AnyRealmValue {
    /// The values as they were when the transaction started: a value that can be sent and kept. What the
    /// transaction itself changed does not show.
    ///
    /// - Throws: `.invalidInput` for the collection of an object that was added or deleted in this
    ///   transaction, for a list that was assigned to a value of any type in it, and for an
    ///   unmanaged one.
    /// - Precondition: the body is running.
    /// - Complexity: O(1): nothing is looked up before the result is used.
    public func freeze() throws(Realm.Error) -> FrozenValues<FrozenAnyValue> {
        try frozenValues()
    }
}

extension RealmCollection {
    private func frozenValues<Value>() throws(Realm.Error) -> FrozenValues<Value> {
        guard let place = try _frozenPlace() else {
            preconditionFailure("Results have no values of their own.")
        }
        return FrozenValues(FrozenQuery(place.table, place.plan))
    }

    /// Encodes the elements as an array, nil as null.
    func encodeElements(to encoder: any Encoder) throws where Element: Encodable {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

// Objects are encoded as their class writes them: what the compiler makes of `encode(to:)` throws for managed
// ones, see `Persisted`.

extension Results: Encodable where Model: Encodable {
    /// Encodes the objects as an array.
    ///
    /// - Throws: what the objects' `encode(to:)` throws: that of the compiler refuses managed objects, of
    ///   which the frozen results are encodable.
    public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}

extension AnyRealmCollection: Encodable where Element: Encodable {
    /// Encodes the elements as an array, nil as null.
    ///
    /// - Throws: as what is wrapped; of objects, what their `encode(to:)` throws.
    public func encode(to encoder: any Encoder) throws { try encodeElements(to: encoder) }
}

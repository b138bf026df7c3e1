internal import RegnumEngine
internal import RegnumStore

extension MutableSet: QueryCollection {}

extension MutableSet: ObjectCollection where Element: ObjectBase {
    public var _results: Results<Element>? { handle?.results(Element.self) }

    public var _name: String { handle?.name ?? "MutableSet<\(Element.self)>" }
}

// MARK: Sets of values

extension MutableSet where Element: SummableValue {
    /// The sum of the elements; nil is left out, and the sum of nothing is 0.
    ///
    /// A sum of integers that does not fit into an `Int` fails the transaction; of an unmanaged set it
    /// ends the process.
    public func sum() -> Element.Total { handle?.sum(Element.self) ?? engineSum() }

    /// The mean of the elements; nil is left out; nil for nothing.
    public func average() -> Element.Mean? {
        guard let handle else { return engineAverage() }
        return handle.average(Element.self)
    }
}

extension MutableSet where Element: BoundedValue {
    /// The least element; nil and NaN are left out; nil for nothing.
    public func min() -> Element.Required? {
        guard let handle else { return engineBound { $0 < 0 } }
        return handle.min(Element.self)
    }

    /// The greatest element; nil and NaN are left out; nil for nothing.
    public func max() -> Element.Required? {
        guard let handle else { return engineBound { $0 > 0 } }
        return handle.max(Element.self)
    }
}

extension MutableSet where Element: ScalarValue {
    /// The elements from small to large, or the other way round: nil first, then NaN, strings by their
    /// bytes, false before true.
    ///
    /// - Complexity: O(n log n)
    public func sorted(ascending: Bool = true) -> [Element] { ordered(ascending: ascending) }

    /// The elements: each is there once.
    public func distinct() -> [Element] { Array(self) }
}

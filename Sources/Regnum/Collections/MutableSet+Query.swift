internal import RegnumEngine
internal import RegnumStore

extension MutableSet: QueryCollection {}

extension MutableSet: ObjectCollection where Element: ObjectBase {
    public var _results: Results<Element>? { handle?.results(Element.self) }

    public var _name: String { handle?.name ?? "MutableSet<\(Element.self)>" }
}

// MARK: Sets of values

extension MutableSet where Element: ScalarValue {
    /// The elements from small to large, or the other way round: nil first, then NaN, strings by their
    /// bytes, false before true.
    ///
    /// - Complexity: O(n log n)
    public func sorted(ascending: Bool = true) -> [Element] { ordered(ascending: ascending) }

    /// The elements: each is there once.
    public func distinct() -> [Element] { Array(self) }
}

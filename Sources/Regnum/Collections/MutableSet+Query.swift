extension MutableSet: QueryCollection {}

// MARK: Sets of values

extension MutableSet where Element: ScalarValue {
    /// Returns the elements sorted by value: `nil` first, then NaN; strings by their UTF-8 bytes;
    /// `false` before `true`.
    ///
    /// - Complexity: O(n log n).
    public func sorted(ascending: Bool = true) -> [Element] { ordered(ascending: ascending) }

    /// Returns the elements, which are always distinct.
    public func distinct() -> [Element] { Array(self) }
}

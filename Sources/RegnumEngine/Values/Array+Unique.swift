extension [UInt64] {
    /// Returns the elements in ascending order, without duplicates.
    ///
    /// - Complexity: O(n log n).
    func sortedUniquely() -> [UInt64] {
        var elements = self
        elements.sort()
        var unique = 0
        for index in elements.indices where index == 0 || elements[index] != elements[index - 1] {
            elements[unique] = elements[index]
            unique += 1
        }
        elements.removeLast(elements.count - unique)
        return elements
    }
}

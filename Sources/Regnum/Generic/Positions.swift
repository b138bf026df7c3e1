// Indices are plain integers. The default implementations of these methods check each step against
// `endIndex`, which for results counts all matches, so that a loop over a few elements would
// evaluate the query for all rows. Only the subscripts check indices.

extension _ConfinedCollection where Indices == Range<Int> {
    @inlinable
    public func index(after position: Int) -> Int { position + 1 }

    @inlinable
    public func index(before position: Int) -> Int { position - 1 }

    @inlinable
    public func index(_ position: Int, offsetBy distance: Int) -> Int { position + distance }

    @inlinable
    public func distance(from start: Int, to end: Int) -> Int { end - start }
}

extension FrozenResults {
    public func index(after position: Int) -> Int { position + 1 }

    public func index(before position: Int) -> Int { position - 1 }

    public func index(_ position: Int, offsetBy distance: Int) -> Int { position + distance }

    public func distance(from start: Int, to end: Int) -> Int { end - start }
}

extension FrozenValues {
    public func index(after position: Int) -> Int { position + 1 }

    public func index(before position: Int) -> Int { position - 1 }

    public func index(_ position: Int, offsetBy distance: Int) -> Int { position + distance }

    public func distance(from start: Int, to end: Int) -> Int { end - start }
}

extension RangeExpression<Int> {
    /// Returns the positions in the range, of a collection that has those from `start` up to `end`.
    ///
    /// Unlike `relative(to:)`, doesn't trap if a bound is beyond the other end of the collection,
    /// which depends on whether the transaction has failed: the caller checks the positions.
    func positions(from start: Int, to end: @autoclosure () -> Int) -> Range<Int> {
        let given = relative(to: Int.min..<Int.max)
        let upper = given.upperBound == .max ? max(given.lowerBound, end()) : given.upperBound
        return (given.lowerBound == .min ? min(start, upper) : given.lowerBound)..<upper
    }
}

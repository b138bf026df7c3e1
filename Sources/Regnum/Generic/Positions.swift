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

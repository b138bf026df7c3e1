// Indices of results are plain integers. The default implementations of these methods check each
// step against `endIndex`, which counts all matches, so that a loop over a few elements would
// evaluate the query for all rows. Only the subscripts check indices.

extension Results {
    public func index(after position: Int) -> Int { position + 1 }

    public func index(before position: Int) -> Int { position - 1 }

    public func index(_ position: Int, offsetBy distance: Int) -> Int { position + distance }

    public func distance(from start: Int, to end: Int) -> Int { end - start }
}

extension AnyRealmCollection {
    public func index(after position: Int) -> Int { position + 1 }

    public func index(before position: Int) -> Int { position - 1 }

    public func index(_ position: Int, offsetBy distance: Int) -> Int { position + distance }

    public func distance(from start: Int, to end: Int) -> Int { end - start }
}

extension ConfinedSlice {
    public func index(after position: Int) -> Int { position + 1 }

    public func index(before position: Int) -> Int { position - 1 }

    public func index(_ position: Int, offsetBy distance: Int) -> Int { position + distance }

    public func distance(from start: Int, to end: Int) -> Int { end - start }
}

extension ConfinedReversed {
    public func index(after position: Int) -> Int { position + 1 }

    public func index(before position: Int) -> Int { position - 1 }

    public func index(_ position: Int, offsetBy distance: Int) -> Int { position + distance }

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

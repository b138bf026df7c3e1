// Positions of results are plain numbers. The standard library checks each step against the end, which is a count
// of what a query finds: a loop over a page would evaluate the query for all rows. Subscripts check.

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

internal import RegnumEngine

// Paths to single values, by which results can be sorted.

extension Query {
    /// The property that the expression denotes, with the path to it; `nil` if the path may lead
    /// to several values, or if the expression isn't a stored value.
    var singleColumn: ColumnReference? {
        switch node {
        case .column(let hops, let column): column.reached(through: hops)
        case .entry(let hops, let key, let column): column.reached(through: hops.entry(key))
        case .nested(let path): path.singleColumn
        case .objects, .count, .aggregate, .predicate: nil
        }
    }
}

extension ColumnReference {
    /// Returns the property of the rows at the end of a path; `nil` if the path may lead to several
    /// rows.
    func reached(through hops: [Hop]) -> ColumnReference? {
        var column = self
        column.hops = hops + column.hops
        return column.hops.allSatisfy(\.isSingle) ? column : nil
    }
}

extension [Hop] {
    /// Returns the path to the entry with a key of the map at the end of the path.
    func entry(_ key: String) -> [Hop] {
        var hops = self
        if let last = hops.indices.last { hops[last].key = StoredText(key) }
        return hops
    }
}

extension AnyPath {
    /// The value at the path; `nil` if there may be several.
    var singleColumn: ColumnReference? {
        ColumnReference(name: "value", type: .any, missing: .null).reached(through: hopsToValues)
    }

    /// The hops to the rows with the values at the path.
    var hopsToValues: [Hop] {
        var found = (key.map { hops.entry($0) } ?? hops) + column.hops
        for (index, step) in steps.enumerated() {
            var hop = index == 0 ? self.step(nil) : inner(nil)
            hop.holder = index == 0 ? column.$name : "value"
            switch step {
            case .all: hop.holder = nil
            case .position(let position): hop.position = position < 0 ? .max : position
            case .last: hop.position = Hop.last
            case .key(let key): hop.key = StoredText(key)
            }
            found.append(hop)
        }
        return found
    }
}

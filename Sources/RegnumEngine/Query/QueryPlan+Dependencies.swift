extension QueryPlan {
    /// The classes that links, lists and backlinks of conditions and sorts lead through. Includes
    /// the plan's own class only if one of them leads back to it.
    package var linkedDependencies: Set<StoredText> { Set(hops.map(\.$target)) }

    /// The links, lists and backlinks that conditions and sorts lead through.
    package var hops: Set<Hop> {
        var hops: Set<Hop> = []
        predicate.addHops(to: &hops)
        for term in sort { hops.formUnion(term.column.hops) }
        for step in steps {
            switch step {
            case .distinct(let columns):
                for column in columns { hops.formUnion(column.hops) }
            case .sort(let terms):
                for term in terms { hops.formUnion(term.column.hops) }
            case .limit: break
            }
        }
        return hops
    }

    /// Whether a row's place in the result depends only on the row itself: only changes to the
    /// class's own rows change the result, and unchanged rows keep their order.
    package var isLocal: Bool { isPlain && predicate.dependencies.isEmpty }
}

extension ColumnReference {
    /// The classes that the links to the property lead to.
    package var dependencies: Set<StoredText> { Set(hops.map(\.$target)) }
}

extension Predicate {
    /// The classes that links, lists and backlinks of the condition lead through.
    package var dependencies: Set<StoredText> {
        var hops: Set<Hop> = []
        addHops(to: &hops)
        return Set(hops.map(\.$target))
    }

    fileprivate func addHops(to found: inout Set<Hop>) {
        switch self {
        case .constant, .isRow: break
        case .compare(let column, _, _), .matchText(let column, _, _, _),
            .matchData(let column, _, _), .matchWords(let column, _), .isIn(let column, _),
            .isKind(let column, _, _):
            found.formUnion(column.hops)
        case .compareColumns(let a, _, let b), .matchTextColumns(let a, _, let b, _):
            found.formUnion(a.hops)
            found.formUnion(b.hops)
        case .within(let layout, _): found.insert(layout.coordinates)
        case .related(let hops, _, let term), .count(let hops, let term, _, _):
            found.formUnion(hops)
            term.addHops(to: &found)
        case .aggregate(let hops, _, let column, _, _):
            found.formUnion(hops)
            found.formUnion(column.hops)
        case .compareNumbers(let a, _, let b):
            a.addHops(to: &found)
            b.addHops(to: &found)
        case .and(let terms), .or(let terms):
            for term in terms { term.addHops(to: &found) }
        case .not(let term): term.addHops(to: &found)
        }
    }
}

extension NumericExpression {
    fileprivate func addHops(to found: inout Set<Hop>) {
        switch self {
        case .constant: break
        case .column(let column), .byteCount(let column): found.formUnion(column.hops)
        case .count(let paths, let term):
            for hops in paths { found.formUnion(hops) }
            term.addHops(to: &found)
        case .operation(_, let a, let b):
            a.addHops(to: &found)
            b.addHops(to: &found)
        }
    }
}

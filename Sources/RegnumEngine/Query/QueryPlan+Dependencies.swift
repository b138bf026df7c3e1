extension QueryPlan {
    /// The classes that links, lists and backlinks of conditions and sorts lead through. Includes
    /// the plan's own class only if one of them leads back to it.
    package var linkedDependencies: Set<StoredText> {
        var names: Set<StoredText> = []
        predicate.addDependencies(to: &names)
        for term in sort { term.column.hops.addDependencies(to: &names) }
        for step in steps {
            switch step {
            case .distinct(let columns):
                for column in columns { column.hops.addDependencies(to: &names) }
            case .sort(let terms):
                for term in terms { term.column.hops.addDependencies(to: &names) }
            case .limit: break
            }
        }
        return names
    }

    /// Whether a row's place in the result depends only on the row itself: only changes to the
    /// class's own rows change the result, and unchanged rows keep their order.
    package var isLocal: Bool { isPlain && predicate.dependencies.isEmpty }
}

extension ColumnReference {
    /// The classes that the links to the property lead to.
    package var dependencies: Set<StoredText> { Set(hops.map(\.$target)) }
}

extension [Hop] {
    fileprivate func addDependencies(to names: inout Set<StoredText>) {
        for hop in self { names.insert(hop.$target) }
    }
}

extension Predicate {
    /// The classes that links, lists and backlinks of the condition lead through.
    package var dependencies: Set<StoredText> {
        var names: Set<StoredText> = []
        addDependencies(to: &names)
        return names
    }

    fileprivate func addDependencies(to names: inout Set<StoredText>) {
        switch self {
        case .constant, .isRow: break
        case .compare(let column, _, _), .matchText(let column, _, _, _),
            .matchData(let column, _, _), .matchWords(let column, _), .isIn(let column, _),
            .isKind(let column, _, _):
            column.hops.addDependencies(to: &names)
        case .compareColumns(let a, _, let b), .matchTextColumns(let a, _, let b, _):
            a.hops.addDependencies(to: &names)
            b.hops.addDependencies(to: &names)
        case .within(let layout, _): [layout.coordinates].addDependencies(to: &names)
        case .related(let hops, _, let term), .count(let hops, let term, _, _):
            hops.addDependencies(to: &names)
            term.addDependencies(to: &names)
        case .aggregate(let hops, _, let column, _, _):
            hops.addDependencies(to: &names)
            column.hops.addDependencies(to: &names)
        case .compareNumbers(let a, _, let b):
            a.addDependencies(to: &names)
            b.addDependencies(to: &names)
        case .and(let terms), .or(let terms):
            for term in terms { term.addDependencies(to: &names) }
        case .not(let term): term.addDependencies(to: &names)
        }
    }
}

extension NumericExpression {
    fileprivate func addDependencies(to names: inout Set<StoredText>) {
        switch self {
        case .constant: break
        case .column(let column), .byteCount(let column): column.hops.addDependencies(to: &names)
        case .count(let paths, let term):
            for hops in paths { hops.addDependencies(to: &names) }
            term.addDependencies(to: &names)
        case .operation(_, let a, let b):
            a.addDependencies(to: &names)
            b.addDependencies(to: &names)
        }
    }
}

extension Predicate {
    /// The nesting depth: operators, and the links and collections on paths.
    package var levelCount: Int {
        switch self {
        case .constant, .isRow: 1
        case .compare(let column, _, _), .matchText(let column, _, _, _),
            .matchData(let column, _, _), .matchWords(let column, _), .isIn(let column, _),
            .isKind(let column, _, _):
            1 + column.hops.count
        case .compareColumns(let a, _, let b), .matchTextColumns(let a, _, let b, _):
            1 + max(a.hops.count, b.hops.count)
        case .compareNumbers(let a, _, let b): 1 + max(a.levelCount, b.levelCount)
        case .within: 2
        case .related(let hops, _, let term), .count(let hops, let term, _, _):
            max(1, hops.count) + term.levelCount
        case .aggregate(let hops, _, let column, _, _): 1 + hops.count + column.hops.count
        case .and(let terms), .or(let terms): 1 + (terms.lazy.map(\.levelCount).max() ?? 0)
        case .not(let term): 1 + term.levelCount
        }
    }

    /// Whether the condition has at most this number of operators and terms.
    ///
    /// - Complexity: O(count).
    package func hasTerms(upTo count: Int) -> Bool {
        var rest = count
        return takeTerms(from: &rest)
    }

    fileprivate func takeTerms(from rest: inout Int) -> Bool {
        rest -= 1
        guard rest >= 0 else { return false }
        switch self {
        case .constant, .isRow, .compare, .matchText, .matchData, .matchWords, .isIn, .isKind,
            .compareColumns, .matchTextColumns, .within, .aggregate:
            return true
        case .compareNumbers(let a, _, let b):
            return a.takeTerms(from: &rest) && b.takeTerms(from: &rest)
        case .related(_, _, let term), .count(_, let term, _, _), .not(let term):
            return term.takeTerms(from: &rest)
        case .and(let terms), .or(let terms):
            for term in terms where !term.takeTerms(from: &rest) { return false }
            return true
        }
    }

    /// The exact complement.
    package var negated: Predicate {
        if case .not(let term) = self { term } else { .not(self) }
    }
}

extension NumericExpression {
    fileprivate func takeTerms(from rest: inout Int) -> Bool {
        switch self {
        case .constant, .column, .byteCount: true
        case .count(_, let term): term.takeTerms(from: &rest)
        case .operation(_, let a, let b):
            a.takeTerms(from: &rest) && b.takeTerms(from: &rest)
        }
    }
}

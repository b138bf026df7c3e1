extension ColumnReference {
    /// A parameter of a condition that is evaluated with different values.
    package static func parameter(_ number: Int, _ type: ValueType) -> ColumnReference {
        var column = ColumnReference(name: "", type: type, missing: .null)
        column.parameter = number
        return column
    }
}

extension Predicate {
    /// Returns the condition with values in place of its parameters, as if it had been built with
    /// them.
    ///
    /// - Complexity: O(terms). A condition without parameters is returned as it is.
    package func bound(to values: [Value]) -> Predicate {
        switch self {
        case .compareColumns(let column, let comparison, let other):
            guard let number = other.parameter else { return self }
            return .compare(column, comparison, values[number])
        case .compare(let column, _, let value):
            // a parameter as a condition, or whether it is null
            guard let number = column.parameter else { return self }
            return .constant(values[number] == value)
        case .matchTextColumns(let column, let match, let other, let folding):
            guard let number = other.parameter else { return self }
            guard case .string(let text) = values[number] else { return .constant(false) }
            return .matchText(column, match, StoredText(text), ignoring: folding)
        case .related(let hops, let quantifier, let term):
            return .related(hops, quantifier, term.bound(to: values))
        case .count(let hops, let term, let comparison, let number):
            return .count(hops, term.bound(to: values), comparison, number)
        case .and(let terms): return .and(terms.map { $0.bound(to: values) })
        case .or(let terms): return .or(terms.map { $0.bound(to: values) })
        case .not(let term): return .not(term.bound(to: values))
        case .constant, .matchText, .matchData, .matchWords, .isIn, .isRow, .within, .aggregate,
            .compareNumbers, .isKind:
            return self
        }
    }

    /// Whether a parameter is in a place where `bound` doesn't put its value.
    package var hasMisplacedParameter: Bool {
        switch self {
        case .compareColumns(let column, _, _): column.parameter != nil
        case .compare(_, .equal, .bool), .compare(_, .equal, .null): false
        case .compare(let column, _, _): column.parameter != nil
        case .matchTextColumns(let column, _, _, _), .matchText(let column, _, _, _),
            .matchData(let column, _, _), .matchWords(let column, _), .isIn(let column, _),
            .aggregate(_, _, let column, _, _), .isKind(let column, _, _):
            column.parameter != nil
        case .related(_, _, let term), .count(_, let term, _, _), .not(let term):
            term.hasMisplacedParameter
        case .and(let terms), .or(let terms): terms.contains { $0.hasMisplacedParameter }
        case .constant, .isRow, .within, .compareNumbers: false
        }
    }
}

extension Comparison {
    /// The same comparison with its sides exchanged.
    package var mirrored: Comparison {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}

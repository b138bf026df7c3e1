internal import RegnumEngine

// Comparisons of calculated numbers, counts and sizes.

extension PredicatePrinter {
    mutating func compareNumbers(
        _ a: NumericExpression, _ comparison: Comparison, _ b: NumericExpression,
        at place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedTest {
        let isDecimal = a.isDecimal || b.isDecimal
        let left = try expression(a, isDecimal, at: place)
        let right = try expression(b, isDecimal, at: place)
        let areNull = a.isNullWithoutElement && b.isNullWithoutElement
        return PrintedTest(
            text: "\(left) \(comparison.text) \(right)",
            holdsForNil: comparison.holds(forNilAnd: areNull ? .null : .int(0)),
            startsWithPath: a.startsWithPath, isNumber: true)
    }

    /// - Parameter isDecimal: Whether literals are read as decimals.
    private mutating func expression(
        _ expression: NumericExpression, _ isDecimal: Bool, at place: PrintedPlace
    ) throws(PredicateUnprintable) -> String {
        switch expression {
        case .constant(.int(let number)) where isDecimal: return "int(\(number))"
        case .constant(.double(let number)) where isDecimal:
            return "double(\(try literal(.double(number))))"
        case .constant(.decimal(let number)) where !isDecimal: return "decimal(\(number.text))"
        case .constant(let value): return try literal(value)
        case .column(let column): return try self.column(column, at: place).text
        case .byteCount(let column):
            let path = try self.column(column, at: place)
            return path.text + (path.isCollection ? "[*].@size" : ".@size")
        case .count(let paths, let term):
            return try paths.count == 1
                ? count(paths[0], term, at: place) : incoming(paths, at: place)
        case .operation(let operation, let a, let b):
            let left = try self.expression(a, isDecimal, at: place)
            let right = try self.expression(b, isDecimal, at: place)
            let outer = operation.precedence
            return (a.precedence < outer ? "(\(left))" : left) + " \(operation.text) "
                + (b.precedence <= outer ? "(\(right))" : right)
        }
    }

    /// Returns the number of matching rows at the end of a path.
    mutating func count(
        _ hops: [Hop], _ term: Predicate, at place: PrintedPlace
    ) throws(PredicateUnprintable) -> String {
        guard hops.isOfOneCollection else {
            throw PredicateUnprintable("the elements of several collections are counted at once")
        }
        let end = try follow(hops, from: place)
        if end.isCollection, term == .constant(true) { return end.text + ".@count" }
        return try subquery(end, term)
    }

    /// Returns the number of objects that link to an object.
    private func incoming(
        _ paths: [[Hop]], at place: PrintedPlace
    ) throws(PredicateUnprintable) -> String {
        let links = paths.first?.splitAtLastCollection.several.prefix { $0.kind == .link } ?? []
        let object = try follow(Array(links), from: place)
        guard case .object = object.row else {
            throw PredicateUnprintable("the links to a value are counted")
        }
        return (object.text.isEmpty ? "" : object.text + ".") + "@links.@count"
    }
}

extension NumericExpression {
    /// Whether one of the properties is a decimal.
    fileprivate var isDecimal: Bool {
        switch self {
        case .column(let column): column.type == .decimal
        case .constant, .byteCount, .count: false
        case .operation(_, let a, let b): a.isDecimal || b.isDecimal
        }
    }

    /// Whether the number is null for a missing list element.
    fileprivate var isNullWithoutElement: Bool { self == .constant(.null) || hasPath }

    private var hasPath: Bool {
        switch self {
        case .constant: false
        case .column, .byteCount, .count: true
        case .operation(_, let a, let b): a.hasPath || b.hasPath
        }
    }

    /// Whether a quantifier can precede the expression.
    fileprivate var startsWithPath: Bool {
        switch self {
        case .constant: false
        case .column, .byteCount, .count: true
        case .operation(let operation, let a, _):
            a.precedence >= operation.precedence && a.startsWithPath
        }
    }

    fileprivate var precedence: Int {
        if case .operation(let operation, _, _) = self { operation.precedence } else { 2 }
    }
}

extension NumericOperation {
    fileprivate var precedence: Int {
        switch self {
        case .sum, .difference: 0
        case .product, .quotient: 1
        }
    }

    fileprivate var text: String {
        switch self {
        case .sum: "+"
        case .difference: "-"
        case .product: "*"
        case .quotient: "/"
        }
    }
}

internal import RegnumEngine
internal import RegnumStore

// Comparisons of numbers that are calculated, counted, or the sizes of strings and data.

/// An operand of a calculation.
indirect enum PredicateNumber {
    case constant(PredicateConstant, offset: Int)
    case place(PredicatePlace, offset: Int)
    case calculation(NumericOperation, PredicateNumber, PredicateNumber)
}

extension PredicateBinder {
    /// Compares a number with another one, or with those of a list.
    func compareNumbers(
        _ left: PredicateNumber, _ comparison: PredicateOperator, _ right: [PredicateNumber],
        isList: Bool, _ quantifier: Quantifier?, _ offset: Int
    ) throws(PredicateMistake) -> Predicate {
        let kinds = try comparison.ofNumbers(count: right.count, isList: isList)
        let isDecimal = left.isDecimal || right.contains { $0.isDecimal }
        var builder = ExpressionBuilder(binder: self, isDecimal: isDecimal)
        let a = try builder.expression(left)
        var terms: [Predicate] = []
        // A missing list element makes every side that contains a property null.
        var termsHoldForNil: [Bool] = []
        for (kind, number) in zip(kinds, right) {
            let b = try builder.expression(number)
            terms.append(.compareNumbers(a, kind, b))
            let isNull = left.hasPlace || a == .constant(.null)
            let isOtherNull = number.hasPlace || b == .constant(.null)
            termsHoldForNil.append(
                kind.holds(forNilAnd: isNull && isOtherNull ? .null : .int(0)))
        }
        guard let place = builder.place else {
            throw PredicateMistake(
                message: "Can't compare two values: one side must be a property.", offset: offset)
        }
        if terms.count > 1, left.hasCondition {
            try requireFewTerms(.or(terms), place.name, offset)
        }
        let isAnyOf = comparison.kind == .isIn
        return try quantified(
            builder.hops, quantifier,
            terms.count == 1 ? terms[0] : isAnyOf ? .or(terms) : .and(terms),
            holdsForNil: isAnyOf
                ? termsHoldForNil.contains(true) : !termsHoldForNil.contains(false), place, offset)
    }
}

extension PredicateOperator {
    /// Returns the comparisons of a number with each of some others.
    fileprivate func ofNumbers(
        count: Int, isList: Bool
    ) throws(PredicateMistake) -> [Comparison] {
        switch kind {
        case .compare(let comparison) where ignored.isEmpty && !isList: return [comparison]
        case .isIn where isList: return [Comparison](repeating: .equal, count: count)
        case .between where isList && count == 2: return [.greaterOrEqual, .lessOrEqual]
        case .between where isList:
            throw PredicateMistake(
                message: "BETWEEN needs two values, such as {1, 2}.", offset: offset)
        default:
            throw PredicateMistake(
                message: "\(text)\(ignored.text) can't compare a number with "
                    + (isList ? "a list." : "another one."), offset: offset)
        }
    }
}

extension PredicateBinder.Side {
    /// The side as an operand of a calculation.
    func number(_ offset: Int) throws(PredicateMistake) -> PredicateNumber {
        switch self {
        case .constant(let constant): return .constant(constant, offset: offset)
        case .place(let place): return .place(place, offset: offset)
        case .number(let number): return number
        case .list, .keyed:
            throw PredicateMistake(
                message: "A calculation can only have numbers as operands.", offset: offset)
        }
    }

    /// Whether a comparison with the other side needs calculated numbers.
    func isCalculated(with other: PredicateBinder.Side) -> Bool {
        switch (self, other) {
        case (.number, _), (_, .number): true
        case (.place(let place), .place(let other)):
            place.isCount || other.isCount || place.isCalculated || other.isCalculated
        case (.place(let place), _), (_, .place(let place)): place.isCalculated
        default: false
        }
    }
}

extension PredicateBinder {
    /// Limits a condition that repeats that of a count: nested ones grow exponentially.
    func requireFewTerms(
        _ predicate: Predicate, _ name: String, _ offset: Int
    ) throws(PredicateMistake) {
        if predicate.hasTerms(upTo: Limits.maximumRepeatedTermCount) { return }
        throw PredicateMistake(
            message: "\(name) is compared with several values, each of which repeats its "
                + "condition: that makes more than \(Limits.maximumRepeatedTermCount) terms.",
            offset: offset)
    }
}

extension PredicatePlace {
    /// Whether it is the count of objects that meet a condition, as of a `SUBQUERY`.
    var hasCondition: Bool {
        switch kind {
        case .count(_, _, .constant): false
        case .count: true
        default: false
        }
    }

    fileprivate var isCount: Bool { if case .count = kind { true } else { false } }

    fileprivate var isCalculated: Bool {
        switch kind {
        case .byteCount, .incoming: true
        default: false
        }
    }
}

extension PredicateNumber {
    /// Whether one of the properties is a decimal.
    fileprivate var isDecimal: Bool {
        switch self {
        case .constant: false
        case .place(let place, _): place.storage?.valueType == .decimal
        case .calculation(_, let a, let b): a.isDecimal || b.isDecimal
        }
    }

    fileprivate var hasPlace: Bool {
        switch self {
        case .constant: false
        case .place: true
        case .calculation(_, let a, let b): a.hasPlace || b.hasPlace
        }
    }

    /// Whether it contains the count of objects that meet a condition.
    fileprivate var hasCondition: Bool {
        switch self {
        case .constant: false
        case .place(let place, _): place.hasCondition
        case .calculation(_, let a, let b): a.hasCondition || b.hasCondition
        }
    }
}

/// Makes expressions for rows at the end of one path.
private struct ExpressionBuilder {
    let binder: PredicateBinder
    /// Whether literals are read as decimals.
    let isDecimal: Bool
    /// The path to the rows that have the properties.
    private(set) var hops: [Hop] = []
    /// The first property, or `nil` if none was found so far.
    private(set) var place: PredicatePlace?

    init(binder: PredicateBinder, isDecimal: Bool) {
        self.binder = binder
        self.isDecimal = isDecimal
    }

    mutating func expression(
        _ number: PredicateNumber
    ) throws(PredicateMistake) -> NumericExpression {
        switch number {
        case .constant(let constant, let offset): return .constant(try value(constant, offset))
        case .place(let place, let offset):
            let (hops, expression) = try expression(place, offset)
            if let first = self.place, hops != self.hops {
                throw binder.refused(
                    first, "can't be combined with \(place.name), which belongs to other objects",
                    offset)
            }
            if self.place == nil { (self.place, self.hops) = (place, hops) }
            return expression
        case .calculation(let operation, let a, let b):
            let left = try expression(a)
            return .operation(operation, left, try expression(b))
        }
    }

    private func expression(
        _ place: PredicatePlace, _ offset: Int
    ) throws(PredicateMistake) -> (hops: [Hop], expression: NumericExpression) {
        switch place.kind {
        case .values(_, let storage) where storage.isNumber:
            guard let (hops, column) = binder.column(place) else { break }
            return (hops, .column(column))
        case .byteCount(let column):
            let (hops, links) = place.hops.splitAtLastCollection
            var column = column
            column.hops = links + column.hops
            return (hops, .byteCount(column))
        case .count(let outer, let inner, let term): return (outer, .count([inner], term))
        case .incoming(let origins):
            let (hops, links) = place.hops.splitAtLastCollection
            return (hops, .count(origins.map { links + $0 }, .constant(true)))
        default: break
        }
        throw binder.refused(place, "can't be used in a calculation", offset)
    }

    private func value(
        _ constant: PredicateConstant, _ offset: Int
    ) throws(PredicateMistake) -> Value {
        if case .null = constant { return .null }
        let isLiteral = if case .number = constant { true } else { false }
        if isLiteral, isDecimal {
            if let value = constant.stored(as: _StorageType(.decimal)) { return value }
        } else {
            switch constant.stored(as: _StorageType(.any))?.anyContent {
            case .int(let number): return .int(number)
            case .float(let number): return .double(Double(number))
            case .double(let number): return .double(number)
            case .decimal(let number): return .decimal(number)
            default: break
            }
        }
        throw PredicateMistake(
            message: isLiteral
                ? "\(constant.described) is beyond the range or precision of the calculation."
                : "Expected a number, not \(constant.described).", offset: offset)
    }
}

extension _StorageType {
    fileprivate var isNumber: Bool { [.int, .double, .decimal].contains(valueType) }
}

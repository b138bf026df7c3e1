/// A number computed from the properties of a row. It is null if one of its operands is null.
///
/// Integers have integer results: a quotient is truncated towards zero, and is null if the divisor
/// is zero; a result beyond 64 bits is a decimal. A decimal with any number gives a decimal, other
/// operands give a double.
package indirect enum NumericExpression: Hashable, Sendable {
    /// A number or null.
    case constant(Value)
    /// An integer, double or decimal.
    case column(ColumnReference)
    /// The number of bytes of data, or of a string's UTF-8.
    case byteCount(ColumnReference)
    /// The number of matching rows at the ends of all these paths.
    case count([[Hop]], Predicate)
    case operation(NumericOperation, NumericExpression, NumericExpression)
}

package enum NumericOperation: UInt8, Hashable, Sendable, CaseIterable {
    case sum, difference, product, quotient
}

extension NumericExpression {
    /// The nesting depth: operations, and the links and collections on paths.
    var levelCount: Int {
        switch self {
        case .constant: 0
        case .column(let column), .byteCount(let column): column.hops.count
        case .count(let paths, let term):
            (paths.lazy.map(\.count).max() ?? 0) + term.levelCount
        case .operation(_, let a, let b): 1 + max(a.levelCount, b.levelCount)
        }
    }
}

extension NumericOperation {
    func value(_ a: Value, _ b: Value) -> Value {
        if case .int(let x) = a, case .int(let y) = b { return value(x, y) }
        if a.type == .decimal || b.type == .decimal {
            guard let x = a.asDecimal, let y = b.asDecimal else { return .null }
            return .decimal(value(x, y))
        }
        guard let x = a.asDouble, let y = b.asDouble else { return .null }
        switch self {
        case .sum: return .double(x + y)
        case .difference: return .double(x - y)
        case .product: return .double(x * y)
        case .quotient: return .double(x / y)
        }
    }

    private func value(_ x: Int64, _ y: Int64) -> Value {
        let (result, overflow): (Int64, Bool)
        switch self {
        case .sum: (result, overflow) = x.addingReportingOverflow(y)
        case .difference: (result, overflow) = x.subtractingReportingOverflow(y)
        case .product: (result, overflow) = x.multipliedReportingOverflow(by: y)
        case .quotient:
            if y == 0 { return .null }
            (result, overflow) = x.dividedReportingOverflow(by: y)
        }
        return overflow ? .decimal(value(DecimalBits(x), DecimalBits(y))) : .int(result)
    }

    private func value(_ x: DecimalBits, _ y: DecimalBits) -> DecimalBits {
        switch self {
        case .sum: .sum(x, y)
        case .difference: .difference(x, y)
        case .product: .product(x, y)
        case .quotient: .quotient(x, y)
        }
    }
}

extension Value {
    fileprivate var asDecimal: DecimalBits? {
        switch self {
        case .int(let x): DecimalBits(x)
        case .double(let x): DecimalBits(x)
        case .decimal(let x): x
        default: nil
        }
    }

    fileprivate var asDouble: Double? {
        switch self {
        case .int(let x): Double(x)
        case .double(let x): x
        default: nil
        }
    }
}

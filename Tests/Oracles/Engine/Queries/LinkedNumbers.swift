import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// Calculated numbers, without the engine's code. Expressions have at most one operation, so that
/// 128 bits are enough for integers.
extension LinkedNaive {
    enum Number {
        case null
        case integer(Int128)
        case double(Double)
    }

    func number(_ place: Place, _ expression: NumericExpression) -> Number {
        switch expression {
        case .constant(let value): return Self.number(value)
        case .column(let column): return Self.number(value(place, column))
        case .byteCount(let column):
            switch value(place, column) {
            case .string(let text): return .integer(Int128(Array(text.utf8).count))
            case .data(let bytes): return .integer(Int128(bytes.count))
            default: return .null
            }
        case .count(let paths, let term):
            let counts = paths.map { ends(place, $0).count { matches($0, term) } }
            return .integer(Int128(counts.reduce(0, +)))
        case .operation(let operation, let a, let b):
            return Self.result(operation, number(place, a), number(place, b))
        }
    }

    private static func number(_ value: Value) -> Number {
        switch value {
        case .int(let x): .integer(Int128(x))
        case .double(let x): .double(x)
        default: .null
        }
    }

    private static func result(_ operation: NumericOperation, _ a: Number, _ b: Number) -> Number {
        switch (a, b) {
        case (.null, _), (_, .null): return .null
        case (.integer(let x), .integer(let y)):
            switch operation {
            case .sum: return .integer(x + y)
            case .difference: return .integer(x - y)
            case .product: return .integer(x * y)
            case .quotient: return y == 0 ? .null : .integer(x / y)
            }
        default:
            let (x, y) = (double(a), double(b))
            switch operation {
            case .sum: return .double(x + y)
            case .difference: return .double(x - y)
            case .product: return .double(x * y)
            case .quotient: return .double(x / y)
            }
        }
    }

    private static func double(_ number: Number) -> Double {
        switch number {
        case .null: .nan
        case .integer(let x): Double(x)
        case .double(let x): x
        }
    }

    static func holds(_ a: Number, _ comparison: Comparison, _ b: Number) -> Bool {
        let (isLess, isGreater): (Bool, Bool)
        switch (a, b) {
        case (.null, .null): (isLess, isGreater) = (false, false)
        case (.null, _), (_, .null): return comparison == .notEqual
        case (.integer(let x), .integer(let y)): (isLess, isGreater) = (x < y, x > y)
        default:
            // In the test, integers compared with doubles are small or extreme.
            let (x, y) = (double(a), double(b))
            if x.isNaN || y.isNaN { return comparison == .notEqual }
            if case .integer(let x) = a, let y = Int128(exactly: y) {
                (isLess, isGreater) = (x < y, x > y)
            } else if case .integer(let y) = b, let x = Int128(exactly: x) {
                (isLess, isGreater) = (x < y, x > y)
            } else {
                (isLess, isGreater) = (x < y, x > y)
            }
        }
        switch comparison {
        case .equal: return !isLess && !isGreater
        case .notEqual: return isLess || isGreater
        case .less: return isLess
        case .lessOrEqual: return !isGreater
        case .greater: return isGreater
        case .greaterOrEqual: return !isLess
        }
    }
}

extension SeededRandom {
    mutating func numbers(_ world: LinkedWorld, _ index: Int?) -> Predicate {
        .compareNumbers(expression(world, index), comparison(), expression(world, index))
    }

    private mutating func expression(_ world: LinkedWorld, _ index: Int?) -> NumericExpression {
        if oneIn(2) { return number(world, index) }
        let operation = NumericOperation.allCases[below(4)]
        return .operation(operation, number(world, index), number(world, index))
    }

    private mutating func number(_ world: LinkedWorld, _ index: Int?) -> NumericExpression {
        switch below(6) {
        case 0, 1:
            if let column = reference(world, index, of: [.int, .double]) { return .column(column) }
        case 2:
            if let column = reference(world, index, of: [.string, .data]) {
                return .byteCount(column)
            }
        case 3:
            let paths = (0..<1 + below(2)).map { _ in
                path(world, index, count: 1 + below(2), toOne: false).hops
            }
            return .count(paths, .constant(true))
        default: break
        }
        return .constant(value(oneIn(4) ? .double : .int, isOptional: true))
    }
}

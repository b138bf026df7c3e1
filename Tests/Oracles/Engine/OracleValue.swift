import RegnumSimulation
import RegnumTestSupport

/// A stored value in the oracle, kept as bits and bytes, so that synthesized equality is equality
/// of stored values. Shares nothing with the engine's `Value`.
enum OracleValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    /// The IEEE bits.
    case double(UInt64)
    /// The UTF-8 bytes.
    case string([UInt8])
    case data([UInt8])
    /// The IEEE bits of the seconds.
    case date(UInt64)
    case uuid(UInt64, UInt64)
    case objectId(UInt64, UInt32)
    /// One of `OracleDecimal.all`.
    case decimal(UInt64, UInt64)
}

/// The property types.
enum OracleType: Int, CaseIterable, Sendable {
    case bool, int, double, string, data, date, uuid, objectId, decimal

    var canBePrimaryKey: Bool {
        self == .int || self == .string || self == .uuid || self == .objectId
    }

    var canBeIndexed: Bool { self != .double && self != .data && self != .decimal }

    /// The default of a required column.
    var zero: OracleValue {
        switch self {
        case .bool: .bool(false)
        case .int: .int(0)
        case .double: .double(0)
        case .string: .string([])
        case .data: .data([])
        case .date: .date(0)
        case .uuid: .uuid(0, 0)
        case .objectId: .objectId(0, 0)
        case .decimal: .decimal(0x3040_0000_0000_0000, 0)
        }
    }
}

/// The six comparison operators.
enum OracleComparison: Int, CaseIterable, Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

extension OracleValue {
    /// The sort order: null, NaN, then the numbers with -0.0 equal to 0.0; strings by their bytes.
    static func isBefore(_ a: OracleValue, _ b: OracleValue) -> Bool {
        switch (a, b) {
        case (_, .null): false
        case (.null, _): true
        case (.bool(let x), .bool(let y)): !x && y
        case (.int(let x), .int(let y)): x < y
        case (.double(let x), .double(let y)), (.date(let x), .date(let y)):
            isBefore(Double(bitPattern: x), Double(bitPattern: y))
        case (.int(let x), .double(let y)):
            exactOrder(x, Double(bitPattern: y)) == .ascending
        case (.double(let x), .int(let y)):
            exactOrder(y, Double(bitPattern: x)) == .descending
        case (.string(let x), .string(let y)), (.data(let x), .data(let y)):
            x.lexicographicallyPrecedes(y)
        case (.uuid(let x, let x2), .uuid(let y, let y2)): (x, x2) < (y, y2)
        case (.objectId(let x, let x2), .objectId(let y, let y2)): (x, x2) < (y, y2)
        case (.decimal(let x, let x2), .decimal(let y, let y2)):
            OracleDecimal.rank(x, x2) < OracleDecimal.rank(y, y2)
        default: false
        }
    }

    private static func isBefore(_ a: Double, _ b: Double) -> Bool {
        if a.isNaN || b.isNaN { return a.isNaN && !b.isNaN }
        return a < b
    }

    private enum Order { case ascending, equal, descending, none }

    /// Compares an integer with a double numerically, without rounding.
    private static func exactOrder(_ a: Int64, _ b: Double) -> Order {
        if b.isNaN { return .none }
        if b.isInfinite || b.magnitude >= 0x1p64 { return b > 0 ? .ascending : .descending }
        // In between: floor(b) as a wide integer, and whether b is above it.
        let floor = Int128(b.rounded(.down))
        if Int128(a) != floor { return Int128(a) < floor ? .ascending : .descending }
        return b > b.rounded(.down) ? .ascending : .equal
    }

    var isNaN: Bool {
        if case .double(let bits) = self { Double(bitPattern: bits).isNaN } else { false }
    }

    /// Whether the comparison of a property's value with another value holds.
    ///
    /// - Parameter isStringToNull: Whether a string property is compared with the constant null.
    static func holds(
        _ a: OracleValue, _ comparison: OracleComparison, _ b: OracleValue, isStringToNull: Bool
    ) -> Bool {
        if a == .null || b == .null {
            let areBoth = a == .null && b == .null
            switch comparison {
            case .equal: return areBoth
            case .notEqual: return !areBoth
            case .less: return false
            case .lessOrEqual: return areBoth && !isStringToNull
            case .greater: return isStringToNull && !areBoth
            case .greaterOrEqual: return isStringToNull ? !areBoth : areBoth
            }
        }
        if a.isNaN || b.isNaN { return comparison == .notEqual }
        let isLess = isBefore(a, b)
        let isGreater = isBefore(b, a)
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

extension OracleValue: CustomStringConvertible {
    var description: String {
        switch self {
        case .null: return "null"
        case .bool(let x): return "\(x)"
        case .int(let x): return "\(x)"
        case .double(let bits): return "\(Double(bitPattern: bits))"
        case .date(let bits): return "date \(Double(bitPattern: bits))"
        case .string(let x):
            let text = String(decoding: x.prefix(24), as: UTF8.self)
            return x.count <= 24 ? "\"\(text)\"" : "\"\(text)...\" (\(x.count) bytes)"
        case .data(let x):
            return "data \(x.prefix(4)) (\(x.count) bytes)"
        case .uuid(let x, let y): return "uuid \(x)-\(y)"
        case .objectId(let x, let y): return "objectId \(x)-\(y)"
        case .decimal(let x, let y): return "decimal \(x)-\(y)"
        }
    }
}

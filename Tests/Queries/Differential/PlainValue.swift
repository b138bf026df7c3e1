import RegnumTestSupport

@testable import RegnumTestModels

/// A value outside the database.
enum PlainValue: Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case text(String)
    /// Data, UUIDs and ObjectIds.
    case bytes([UInt8])
    /// Seconds since the reference date.
    case date(Double)
    case any(PlainAny)

    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    var isNaN: Bool {
        if case .double(let value) = self { value.isNaN } else { false }
    }

    /// Whether aggregates ignore the value, besides nil.
    fileprivate var isLeftOut: Bool {
        if case .any(let value) = self { value.isNaN || value.isReference } else { isNaN }
    }

    var int: Int? {
        if case .int(let value) = self { value } else { nil }
    }

    var double: Double? {
        if case .double(let value) = self { value } else { nil }
    }

    var text: String? {
        if case .text(let value) = self { value } else { nil }
    }

    /// Returns the sort order as a negative number, zero or a positive one: null, NaN, then by
    /// value.
    static func order(_ a: PlainValue, _ b: PlainValue) -> Int {
        func sign<T: Comparable>(_ x: T, _ y: T) -> Int { x < y ? -1 : (x > y ? 1 : 0) }
        func bytes(_ x: [UInt8], _ y: [UInt8]) -> Int {
            x.lexicographicallyPrecedes(y) ? -1 : (x == y ? 0 : 1)
        }
        switch (a, b) {
        case (.null, .null): return 0
        case (.null, _): return -1
        case (_, .null): return 1
        case (.bool(let x), .bool(let y)): return sign(x ? 1 : 0, y ? 1 : 0)
        case (.int(let x), .int(let y)): return sign(x, y)
        case (.date(let x), .date(let y)): return sign(x, y)
        case (.text(let x), .text(let y)): return bytes(Array(x.utf8), Array(y.utf8))
        case (.bytes(let x), .bytes(let y)): return bytes(x, y)
        case (.any(let x), .any(let y)): return PlainAny.order(x, y)
        case (.double(let x), .double(let y)):
            if x.isNaN || y.isNaN { return x.isNaN ? (y.isNaN ? 0 : -1) : 1 }
            return sign(x, y)
        default: fatalError("\(a) and \(b) can't be compared.")
        }
    }
}

enum PlainOperator: CaseIterable, Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

    /// Whether the comparison holds by the rules of queries.
    ///
    /// - Parameter isConstant: Whether the right side is a constant: every text is greater than
    ///   nil.
    func holds(_ a: PlainValue, _ b: PlainValue, isConstant: Bool = true) -> Bool {
        let isBothNull = a.isNull && b.isNull
        let isEqual =
            isBothNull
            || !a.isNull && !b.isNull && !a.isNaN && !b.isNaN && PlainValue.order(a, b) == 0
        switch self {
        case .equal: return isEqual
        case .notEqual: return !isEqual
        default: break
        }
        if a.isNull || b.isNull { return isBothNull && includesEqual }
        if a.isNaN || b.isNaN { return false }
        if case (.any(let x), .any(let y)) = (a, b), !PlainAny.areOrdered(x, y) { return false }
        let order = PlainValue.order(a, b)
        if order == 0 { return includesEqual }
        return isLess ? order < 0 : order > 0
    }

    /// Whether the comparison of an optional text property with the constant nil holds.
    func holdsForText(_ a: PlainValue) -> Bool {
        switch self {
        case .equal: a.isNull
        case .notEqual, .greater, .greaterOrEqual: !a.isNull
        case .less, .lessOrEqual: false
        }
    }

    private var includesEqual: Bool { self == .lessOrEqual || self == .greaterOrEqual }
    private var isLess: Bool { self == .less || self == .lessOrEqual }
}

/// The aggregates of several values.
enum PlainAggregate: CaseIterable, Sendable {
    case min, max, sum, average

    /// Aggregates values. Sums of integers are `.int`; `nil` if they overflow.
    func fold(_ values: [PlainValue], isInteger: Bool) -> PlainValue? {
        let present = values.filter { !$0.isNull }
        switch self {
        case .min:
            return present.filter { !$0.isLeftOut }.min { PlainValue.order($0, $1) < 0 } ?? .null
        case .max:
            return present.filter { !$0.isLeftOut }.max { PlainValue.order($0, $1) < 0 } ?? .null
        case .sum:
            if !isInteger { return .double(present.reduce(0) { $0 + ($1.double ?? 0) }) }
            let sum = present.reduce(0 as Int128) { $0 + Int128($1.int ?? 0) }
            return Int(exactly: sum).map { .int($0) }
        case .average:
            if present.isEmpty { return .null }
            let sum =
                isInteger
                ? Double(present.reduce(0 as Int128) { $0 + Int128($1.int ?? 0) })
                : present.reduce(0) { $0 + ($1.double ?? 0) }
            return .double(sum / Double(present.count))
        }
    }
}

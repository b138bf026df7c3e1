import FoundationEssentials
import Regnum
import RegnumTestSupport

/// A non-null value of any type outside the database.
enum PlainAny: Sendable {
    case bool(Bool)
    /// A position in ``numbers``.
    case number(Int)
    case text(String)
    case data([UInt8])
    /// Seconds since the reference date.
    case date(Double)
    case oid(UInt8)
    case uuid(UInt8)
    /// A link.
    case node(Int)
    case list([PlainValue])
    case dictionary([String: PlainValue])

    /// Numbers of all types in their order; those with the same rank are the same number.
    static let numbers: [(rank: Int, make: @Sendable () -> AnyRealmValue)] = [
        (0, { .double(.nan) }), (0, { .float(.nan) }),
        (1, { .double(-.infinity) }),
        (2, { .int(-5) }), (2, { .double(-5) }), (2, { .decimal128("-5.0") }),
        (3, { .int(0) }), (3, { .double(-0.0) }), (3, { .float(0) }), (3, { .decimal128("0.00") }),
        (4, { .decimal128("0.1") }), (5, { .double(0.1) }), (6, { .float(0.1) }),
        (7, { .float(0.5) }), (7, { .double(0.5) }), (7, { .decimal128("0.50") }),
        (8, { .int(1) }), (8, { .float(1) }), (8, { .double(1) }), (8, { .decimal128("1.0") }),
        (9, { .int(9_007_199_254_740_992) }), (9, { .double(9_007_199_254_740_992) }),
        (10, { .int(9_007_199_254_740_993) }), (10, { .decimal128("9007199254740993") }),
        (11, { .int(.max) }), (11, { .decimal128("9223372036854775807") }),
        (12, { .double(9_223_372_036_854_775_808) }), (13, { .float(.infinity) }),
    ]

    static let keys = ["k", "a", "", "\u{e9}", "K"]

    /// The rank of the kind in the order of all values.
    private var rank: Int {
        switch self {
        case .bool: 1
        case .number: 2
        case .text: 3
        case .data: 4
        case .date: 5
        case .oid: 6
        case .uuid: 7
        case .node: 8
        case .list: 9
        case .dictionary: 10
        }
    }

    var isNaN: Bool { if case .number(let position) = self { position < 2 } else { false } }

    /// Whether the value is a link or collection, which aggregates ignore.
    var isReference: Bool { rank >= 8 }

    /// Whether `<` is defined for two values.
    static func areOrdered(_ a: PlainAny, _ b: PlainAny) -> Bool {
        a.rank == b.rank && !a.isReference
    }

    /// Returns a negative number, zero or a positive one: kinds one after the other, numbers by
    /// value, all lists and dictionaries equal.
    static func order(_ a: PlainAny, _ b: PlainAny) -> Int {
        switch (a, b) {
        case (.number(let x), .number(let y)): numbers[x].rank - numbers[y].rank
        case (.bool(let x), .bool(let y)): (x ? 1 : 0) - (y ? 1 : 0)
        case (.text(let x), .text(let y)): PlainValue.order(.text(x), .text(y))
        case (.data(let x), .data(let y)): PlainValue.order(.bytes(x), .bytes(y))
        case (.date(let x), .date(let y)): PlainValue.order(.date(x), .date(y))
        case (.oid(let x), .oid(let y)), (.uuid(let x), .uuid(let y)): Int(x) - Int(y)
        case (.node(let x), .node(let y)): x - y
        default: a.rank - b.rank
        }
    }

    /// The bytes on which text operators work.
    var textBytes: [UInt8]? {
        switch self {
        case .text(let text): Array(text.utf8)
        case .data(let bytes): bytes
        default: nil
        }
    }

    /// Returns a random value without links.
    static func sample(
        _ random: inout SeededRandom, depth: Int = 2, isPlain: Bool = false
    ) -> PlainAny {
        func pick<T>(_ values: [T]) -> T {
            values[Int.random(in: 0..<values.count, using: &random)]
        }
        func element() -> PlainValue {
            Int.random(in: 0..<5, using: &random) == 0
                ? .null : .any(sample(&random, depth: depth - 1))
        }
        switch Int.random(in: 0..<(isPlain || depth == 0 ? 14 : 18), using: &random) {
        case 0, 1: return .bool(pick([true, false]))
        case 2...7: return .number(Int.random(in: 0..<numbers.count, using: &random))
        case 8, 9: return .text(pick(PlainProperty.texts))
        case 10:
            return .data(pick([[], [2], [1, 2, 3]] + PlainProperty.texts.map { Array($0.utf8) }))
        case 11: return .date(pick([0, 1.5, -100]))
        case 12: return .oid(pick([0, 1, 255]))
        case 13: return .uuid(pick([0, 1, 255]))
        case 14, 15: return .list((0..<pick([0, 1, 2, 3])).map { _ in element() })
        default:
            return .dictionary(
                Dictionary(
                    uniqueKeysWithValues: keys.prefix(pick([0, 1, 2, 5])).map { ($0, element()) }))
        }
    }
}

/// A step of a condition's path into a value of any type.
enum PlainStep: Sendable {
    case key(String)
    case position(Int)
    case all

    /// Returns the values to which the step leads in a value.
    func targets(_ value: PlainValue) -> [PlainValue] {
        switch (self, value) {
        case (.key(let key), .any(.dictionary(let entries))): entries[key].map { [$0] } ?? []
        case (.position(let position), .any(.list(let values))):
            values.indices.contains(position) ? [values[position]] : []
        case (.all, .any(.list(let values))): values
        case (.all, .any(.dictionary(let entries))): Array(entries.values)
        default: []
        }
    }

    /// Returns the values to which steps lead from a value: all elements that exist and, from each
    /// of them, null for a key or position that it doesn't have.
    static func values(_ value: PlainValue, _ steps: [PlainStep]) -> [PlainValue] {
        func follow(_ values: [PlainValue], _ steps: ArraySlice<PlainStep>) -> [PlainValue] {
            steps.reduce(values) { values, step in values.flatMap { step.targets($0) } }
        }
        let end = steps.lastIndex { if case .all = $0 { true } else { false } }.map { $0 + 1 } ?? 0
        return follow([value], steps[..<end]).map { follow([$0], steps[end...]).first ?? .null }
    }
}

extension AnyRealmValue: WorldValue {
    /// Converts a value; a link becomes null, whereas ``make(_:_:)`` looks up its object.
    static func make(_ value: PlainValue) -> AnyRealmValue { make(value) { _ in nil } }

    static func make(_ value: PlainValue, _ find: (Int) -> WorldNode?) -> AnyRealmValue {
        guard case .any(let value) = value else { return .none }
        switch value {
        case .bool(let flag): return .bool(flag)
        case .number(let position): return PlainAny.numbers[position].make()
        case .text(let text): return .string(text)
        case .data(let bytes): return .data(Data(bytes))
        case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .oid(let byte): return .objectId(.make(.bytes(Array(repeating: byte, count: 12))))
        case .uuid(let byte): return .uuid(.make(.bytes(Array(repeating: byte, count: 16))))
        case .node(let id): return find(id).map { .object($0) } ?? .none
        case .list(let values): return .fromArray(values.map { make($0, find) })
        case .dictionary(let entries):
            return .fromDictionary(entries.mapValues { make($0, find) })
        }
    }
}

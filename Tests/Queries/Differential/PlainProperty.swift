import RegnumTestSupport

@testable import RegnumTestModels

/// A property of the classes of the differential test, and the values that it can have.
enum PlainProperty: Int, CaseIterable, Sendable {
    case int, int2, optInt, optInt2, tiny, optMedium, long
    case bool, optBool
    case double, double2, optDouble, optDouble2, float, optFloat, decimal, optDecimal
    case string, string2, optString, optString2
    case data, optData, date, optDate, uuid, optUuid, oid, optOid
    case level, optLevel, kind, optKind
    case any
    /// A text with a full-text index.
    case words
    /// Entries of maps, only for conditions.
    case intEntry, textEntry, anyEntry
    /// Properties of the embedded class.
    case partInt, partText

    enum Family: Sendable { case int, bool, double, text, bytes, date, any }

    static let ofNodes = allCases.filter { !$0.isOfPart && !$0.isEntry }
    /// The properties that conditions test.
    static let inConditions = ofNodes + [.intEntry, .textEntry, .anyEntry, .any, .any]
    static let ofParts: [PlainProperty] = [.partInt, .partText]

    var isOfPart: Bool { self == .partInt || self == .partText }

    var isEntry: Bool { [.intEntry, .textEntry, .anyEntry].contains(self) }

    var family: Family {
        switch self {
        case .int, .int2, .optInt, .optInt2, .tiny, .optMedium, .long, .level, .optLevel, .partInt,
            .intEntry:
            .int
        case .bool, .optBool: .bool
        case .double, .double2, .optDouble, .optDouble2, .float, .optFloat, .decimal, .optDecimal:
            .double
        case .string, .string2, .optString, .optString2, .kind, .optKind, .partText,
            .textEntry, .words:
            .text
        case .data, .optData, .uuid, .optUuid, .oid, .optOid: .bytes
        case .date, .optDate: .date
        case .any, .anyEntry: .any
        }
    }

    var isEnum: Bool { [.level, .optLevel, .kind, .optKind].contains(self) }

    var isDecimal: Bool { self == .decimal || self == .optDecimal }

    var isOptional: Bool {
        [.partText, .intEntry, .textEntry, .any, .anyEntry, .words].contains(self)
            || "\(self)".hasPrefix("opt")
    }

    /// Whether `<` compiles.
    var isOrdered: Bool { ![.bool, .optBool, .data, .optData].contains(self) }

    /// Whether it supports ranges, minimum and maximum.
    var isBounded: Bool { !isEnum && [.int, .double, .date].contains(family) }

    /// Whether it supports sums.
    var isSummable: Bool { isBounded && family != .date }

    /// The property of the same type with which it is compared.
    var other: PlainProperty {
        switch self {
        case .int: .int2
        case .optInt: .optInt2
        case .double: .double2
        case .optDouble: .optDouble2
        case .string: .string2
        case .optString: .optString2
        default: self
        }
    }

    static let texts = [
        "", "a", "A", "ab", "b", "aB", "\u{e9}", "e\u{301}", "\u{c9}",
        "long enough to lie elsewhere",
        "LONG", "*", "a?b", "\u{1f600}",
    ]

    /// Returns a random value of the property.
    func sample(_ random: inout SeededRandom) -> PlainValue {
        if isOptional, Int.random(in: 0..<3, using: &random) == 0 { return .null }
        func pick<T>(_ values: [T]) -> T {
            values[Int.random(in: 0..<values.count, using: &random)]
        }
        switch self {
        case .int, .int2, .optInt, .optInt2, .intEntry:
            return .int(pick([0, 1, 2, 3, -1, 5, 100, .max, .min]))
        case .tiny: return .int(pick([0, 1, -1, 127, -128, 5]))
        case .optMedium: return .int(pick([0, 1, -70_000, Int(Int32.max), 5]))
        case .long: return .int(pick([0, 1, 1 << 40, -5]))
        case .partInt: return .int(pick([0, 1, 2, 300, -300]))
        case .level, .optLevel: return .int(pick([-1, 0, 7]))
        case .kind, .optKind: return .text(pick(["a", "B", "\u{e9}"]))
        case .bool, .optBool: return .bool(pick([true, false]))
        case .double, .double2, .optDouble, .optDouble2:
            return .double(pick([0, -0.0, 0.5, 1.5, -2.25, 3, 1e10, .nan, .infinity, -.infinity]))
        case .float, .optFloat:
            return .double(pick([0, -0.0, 0.5, 1.5, -2.25, Double(0.1 as Float), .nan, .infinity]))
        case .decimal, .optDecimal:
            // In decimals NaN is a number like others.
            return .double(pick([0, -0.0, 0.5, 1.5, -2.25, 3, 1e10, .infinity, -.infinity]))
        case .string, .string2, .optString, .optString2, .partText, .textEntry:
            return .text(pick(Self.texts))
        case .words: return .text(pick(PlainSearch.texts + Self.texts))
        case .data, .optData: return .bytes(pick([[], [0], [1, 2, 3], [2], [255, 0]]))
        case .date, .optDate: return .date(pick([0, 1, 1.5, -100, 64_092_211_200]))
        case .uuid, .optUuid:
            return .bytes(pick([0, 1, 128, 255].map { Array(repeating: $0, count: 16) }))
        case .oid, .optOid:
            return .bytes(pick([0, 1, 128, 255].map { Array(repeating: $0, count: 12) }))
        case .any, .anyEntry: return .any(PlainAny.sample(&random))
        }
    }
}

/// A step from an object to objects.
enum PlainHop: CaseIterable, Sendable {
    case next, part, target
    case nodes, parts, fans, holders

    var leadsToSeveral: Bool { ![.next, .part, .target].contains(self) }
    var leadsToParts: Bool { self == .part || self == .parts }
    var isOfPart: Bool { self == .target }
}

import RegnumStore

// The order of values of any type: by the rank of the kind, and numbers of all kinds by their
// mathematical value.

extension AnyContent {
    /// Compares two values: negative, zero or positive if `a` orders before, equal to or after `b`.
    ///
    /// The order is booleans, numbers (NaN first), strings, data, dates, ObjectIds, UUIDs, links,
    /// lists, dictionaries. The contents of lists and dictionaries don't count. Numbers aren't
    /// rounded: the integer 2^53 + 1 orders after the double 2^53.
    static func compare(_ a: AnyContent, _ b: AnyContent) -> Int {
        switch (a, b) {
        case (.bool(let x), .bool(let y)): return x == y ? 0 : (y ? -1 : 1)
        case (.string(let x), .string(let y)): return compareUTF8(x, y)
        case (.data(let x), .data(let y)): return compareBytes(x, y)
        case (.date(let x), .date(let y)): return compareDoubles(x, y)
        case (.objectId(let x), .objectId(let y)): return x == y ? 0 : (x < y ? -1 : 1)
        case (.uuid(let x), .uuid(let y)): return compareIdentities(x, y)
        case (.link(let t, let x), .link(let u, let y)):
            if t != u { return t < u ? -1 : 1 }
            return x == y ? 0 : (x < y ? -1 : 1)
        default: break
        }
        if let x = a.number, let y = b.number { return AnyNumber.compare(x, y) }
        return Int(a.kind.rank) - Int(b.kind.rank)
    }

    /// The numeric value, or `nil` for other kinds.
    package var number: AnyNumber? {
        switch self {
        case .int(let x): .int(x)
        case .float(let x): .double(Double(x))
        case .double(let x): .double(x)
        case .decimal(let x): .decimal(x)
        default: nil
        }
    }

    /// The representative of all values that compare as equal: equal numbers have the same kind.
    package var canonical: AnyContent {
        guard let number else {
            switch self {
            case .date(let x): return .date(x == 0 ? 0 : x)
            case .list: return .list(0)
            case .dictionary: return .dictionary(0)
            default: return self
            }
        }
        switch number {
        case .int(let x): return .int(x)
        case .double(let x):
            if x.isNaN { return .double(.nan) }
            return Int64(exactly: x).map { .int($0) } ?? .double(x)
        case .decimal(let x):
            if x.isNaN { return .double(.nan) }
            if let integer = x.exactInt64 { return .int(integer) }
            let nearest = x.doubleValue
            return DecimalBits.compare(x, nearest) == 0 ? .double(nearest) : .decimal(x.canonical)
        }
    }

    /// A 64-bit prefix of the sort order, with the rank of the kind in the top byte. Equal prefixes
    /// don't imply equal values.
    var sortRank: UInt64 {
        let rest: UInt64
        switch self {
        case .bool(let x): rest = x ? 1 << 8 : 0
        case .int(let x): rest = ascendingBits(Double(x))
        case .float(let x): rest = ascendingBits(Double(x))
        case .double(let x), .date(let x): rest = ascendingBits(x)
        case .decimal(let x): rest = ascendingBits(x.doubleValue)
        case .string(let x): rest = withUTF8(x) { leadingBytes($0) }
        case .data(let x): rest = x.withUnsafeBytes { leadingBytes($0) }
        case .objectId(let x): rest = x.high
        case .uuid(let x): rest = x.high
        case .link, .list, .dictionary: rest = 0
        }
        return UInt64(kind.rank) << 56 | rest >> 8
    }
}

/// A number in a value of any type. Floats are widened to doubles.
package enum AnyNumber: Sendable {
    case int(Int64)
    case double(Double)
    case decimal(DecimalBits)

    /// Compares the exact mathematical values, without rounding. NaN orders before all other
    /// numbers.
    static func compare(_ a: AnyNumber, _ b: AnyNumber) -> Int {
        switch (a, b) {
        case (.int(let x), .int(let y)): x < y ? -1 : (x == y ? 0 : 1)
        case (.double(let x), .double(let y)): compareDoubles(x, y)
        case (.decimal(let x), .decimal(let y)): DecimalBits.compare(x, y)
        case (.int(let x), .double(let y)): compareNumbers(x, y) ?? 1
        case (.double(let x), .int(let y)): -(compareNumbers(y, x) ?? 1)
        case (.decimal(let x), .int(let y)): DecimalBits.compare(x, y)
        case (.int(let x), .decimal(let y)): -DecimalBits.compare(y, x)
        case (.decimal(let x), .double(let y)): DecimalBits.compare(x, y)
        case (.double(let x), .decimal(let y)): -DecimalBits.compare(y, x)
        }
    }

    /// The number as a decimal: integers exactly, doubles as the shortest decimal that converts
    /// back to them.
    package var decimal: DecimalBits {
        switch self {
        case .int(let x): DecimalBits(x)
        case .double(let x): DecimalBits(x)
        case .decimal(let x): x
        }
    }
}

/// Comparison of values of any type in their stored form. Invalid bytes, which only a damaged file
/// contains, order first and compare bytewise.
enum AnyBytes {
    static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
        guard let x = a.withUnsafeBytes({ AnyContent($0) }) else {
            return b.withUnsafeBytes { AnyContent($0) } == nil ? compareBytes(a, b) : -1
        }
        guard let y = b.withUnsafeBytes({ AnyContent($0) }) else { return 1 }
        return AnyContent.compare(x, y)
    }

    /// Returns whether `<` is defined for the two values: both are numbers, or both are of the same
    /// kind and that kind is ordered.
    static func areOrdered(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard let x = a.first.flatMap({ AnyKind(rawValue: $0) }),
            let y = b.first.flatMap({ AnyKind(rawValue: $0) })
        else { return false }
        return x.rank == y.rank && x.rank < AnyKind.link.rank
    }

    /// Returns the canonical bytes shared by all equal values.
    static func canonical(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { AnyContent($0) }?.canonical.bytes ?? bytes
    }

    static func sortRank(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        AnyContent(bytes)?.sortRank ?? 1
    }

    /// Returns the bytes of a string or data value, or `nil` for other kinds.
    static func text(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        switch bytes.first {
        case AnyKind.string.rawValue, AnyKind.data.rawValue:
            UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        default: nil
        }
    }
}

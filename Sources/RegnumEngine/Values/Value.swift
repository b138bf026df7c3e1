package import RegnumStore

/// The type of a column. The raw values are part of the file format.
package enum ValueType: UInt8, Sendable, CaseIterable {
    case bool = 1
    case int = 2
    case double = 3
    case string = 4
    case data = 5
    case date = 6
    case uuid = 7
    case objectId = 8
    case decimal = 9
    /// A value of any type, encoded as `AnyContent`. Always optional and indexed; the index finds
    /// the rows that link to a row.
    case any = 10

    /// Whether a column of this type can be a primary key.
    package var canBePrimaryKey: Bool {
        switch self {
        case .int, .string, .uuid, .objectId: true
        case .bool, .double, .data, .date, .decimal, .any: false
        }
    }

    /// Whether a column of this type can be indexed.
    package var canBeIndexed: Bool {
        switch self {
        case .bool, .int, .string, .date, .uuid, .objectId, .any: true
        case .double, .data, .decimal: false
        }
    }

    /// The default value of a required column of this type.
    package var zero: Value {
        switch self {
        case .bool: .bool(false)
        case .int: .int(0)
        case .double: .double(0)
        case .string: .string("")
        case .data: .data([])
        case .date: .date(0)
        case .uuid: .uuid(Identity128(high: 0, low: 0))
        case .objectId: .objectId(ObjectIdBytes(high: 0, low: 0))
        case .decimal: .decimal(.zero)
        case .any: .null
        }
    }
}

/// A stored value or null.
///
/// `==` and `hash` compare the stored bits: strings by their UTF-8 bytes (no canonical
/// equivalence), floating-point numbers by bit pattern. `Comparison` defines equality in queries,
/// `Value.compare` the order of sorts and indexes.
package enum Value: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case data([UInt8])
    /// Seconds since the reference date, 2001-01-01 00:00:00 UTC; never NaN in a stored row.
    case date(Double)
    case uuid(Identity128)
    case objectId(ObjectIdBytes)
    case decimal(DecimalBits)
    /// A non-null value of any type, encoded as `AnyContent`. Sorts, indexes and queries treat
    /// equal numbers of different kinds as equal.
    case any([UInt8])

    /// The type, or `nil` for `null`.
    package var type: ValueType? {
        switch self {
        case .null: nil
        case .bool: .bool
        case .int: .int
        case .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .uuid: .uuid
        case .objectId: .objectId
        case .decimal: .decimal
        case .any: .any
        }
    }

    /// Whether the value is `null`.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Whether the value is a NaN: a double, date or decimal, or such a number in a value of any
    /// type.
    package var isNaN: Bool {
        switch self {
        case .double(let x), .date(let x): x.isNaN
        case .decimal(let x): x.isNaN
        case .any:
            switch anyContent {
            case .float(let x): x.isNaN
            case .double(let x): x.isNaN
            case .decimal(let x): x.isNaN
            default: false
            }
        case .null, .bool, .int, .string, .data, .uuid, .objectId: false
        }
    }
}

extension Value: Hashable {
    package static func == (a: Value, b: Value) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let x), .bool(let y)): x == y
        case (.int(let x), .int(let y)): x == y
        case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern
        case (.string(let x), .string(let y)): equalUTF8(x, y)
        case (.data(let x), .data(let y)): x == y
        case (.date(let x), .date(let y)): x.bitPattern == y.bitPattern
        case (.uuid(let x), .uuid(let y)): x == y
        case (.objectId(let x), .objectId(let y)): x == y
        case (.decimal(let x), .decimal(let y)): x == y
        case (.any(let x), .any(let y)): x == y
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(type?.rawValue ?? 0)
        switch self {
        case .null: break
        case .bool(let x): hasher.combine(x)
        case .int(let x): hasher.combine(x)
        case .double(let x), .date(let x): hasher.combine(x.bitPattern)
        case .string(let x): hashUTF8(x, into: &hasher)
        case .data(let x), .any(let x): hasher.combine(x)
        case .uuid(let x): hasher.combine(x)
        case .objectId(let x): hasher.combine(x)
        case .decimal(let x): hasher.combine(x)
        }
    }
}

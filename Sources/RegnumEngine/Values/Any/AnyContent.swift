package import RegnumStore

/// The decoded content of a non-null value of any type.
package enum AnyContent: Sendable {
    case bool(Bool)
    case int(Int64)
    case float(Float)
    case double(Double)
    case decimal(DecimalBits)
    case string(String)
    case data([UInt8])
    /// Seconds since the reference date; never NaN in a stored row.
    case date(Double)
    case objectId(ObjectIdBytes)
    case uuid(Identity128)
    /// A row of a class whose rows aren't owned by other rows.
    case link(TableKey, ObjectKey)
    /// A list. Its elements are rows that the row with the value owns. The number distinguishes
    /// successive lists in the same place.
    case list(UInt64)
    case dictionary(UInt64)
}

/// The kind of a value of any type, stored as its first byte. The raw values are part of the file
/// format.
package enum AnyKind: UInt8, Sendable {
    case bool = 1
    case int = 2
    case float = 3
    case double = 4
    case decimal = 5
    case string = 6
    case data = 7
    case date = 8
    case objectId = 9
    case uuid = 10
    case link = 11
    case list = 12
    case dictionary = 13

    /// The sort rank of the kind. Kinds of equal rank, which are those of numbers, compare by
    /// value, others by rank.
    var rank: UInt8 {
        switch self {
        case .bool: 1
        case .int, .float, .double, .decimal: 2
        case .string, .data, .date, .objectId, .uuid, .link, .list, .dictionary: rawValue - 3
        }
    }
}

extension AnyContent {
    /// Decodes stored bytes. Returns `nil` if they aren't a valid value.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first, let kind = AnyKind(rawValue: first) else { return nil }
        func word<T: FixedWidthInteger>(_ offset: Int) -> T {
            T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
        }
        let rest = bytes.count - 1
        switch kind {
        case .string:
            self = .string(String(decoding: bytes.dropFirst(), as: UTF8.self))
            return
        case .data:
            self = .data([UInt8](bytes.dropFirst()))
            return
        default: if rest != AnyContent.byteCount(of: kind) { return nil }
        }
        switch kind {
        case .bool: self = .bool(bytes[1] != 0)
        case .int: self = .int(word(1))
        case .float: self = .float(Float(bitPattern: word(1)))
        case .double: self = .double(Double(bitPattern: word(1)))
        case .decimal: self = .decimal(DecimalBits(high: word(1), low: word(9)))
        case .date:
            let seconds = Double(bitPattern: word(1))
            if seconds.isNaN { return nil }
            self = .date(seconds)
        case .objectId: self = .objectId(ObjectIdBytes(high: word(1), low: word(9)))
        case .uuid: self = .uuid(Identity128(high: word(1), low: word(9)))
        case .link:
            self = .link(TableKey(rawValue: word(1)), ObjectKey(rawValue: word(5)))
        case .list: self = .list(word(1))
        case .dictionary: self = .dictionary(word(1))
        case .string, .data: return nil
        }
    }

    /// Returns whether stored bytes are a valid value, without decoding strings and data. Strings
    /// must be well-formed UTF-8.
    static func areSound(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch bytes.first {
        case AnyKind.string.rawValue: isUTF8(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
        case AnyKind.data.rawValue: true
        default: AnyContent(bytes) != nil
        }
    }

    /// Returns the number of bytes after the kind, or 0 for strings and data, whose length varies.
    private static func byteCount(of kind: AnyKind) -> Int {
        switch kind {
        case .bool: 1
        case .int, .double, .date, .list, .dictionary: 8
        case .float: 4
        case .decimal, .uuid: 16
        case .objectId, .link: 12
        case .string, .data: 0
        }
    }

    var kind: AnyKind {
        switch self {
        case .bool: .bool
        case .int: .int
        case .float: .float
        case .double: .double
        case .decimal: .decimal
        case .string: .string
        case .data: .data
        case .date: .date
        case .objectId: .objectId
        case .uuid: .uuid
        case .link: .link
        case .list: .list
        case .dictionary: .dictionary
        }
    }

    /// The stored form: the kind, then the value in little-endian byte order.
    package var bytes: [UInt8] {
        var bytes = [kind.rawValue]
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        switch self {
        case .bool(let x): bytes.append(x ? 1 : 0)
        case .int(let x): append(x)
        case .float(let x): append(x.bitPattern)
        case .double(let x), .date(let x): append(x.bitPattern)
        case .decimal(let x):
            append(x.high)
            append(x.low)
        case .string(let x): bytes.append(contentsOf: x.utf8)
        case .data(let x): bytes.append(contentsOf: x)
        case .objectId(let x):
            append(x.high)
            append(x.low)
        case .uuid(let x):
            append(x.high)
            append(x.low)
        case .link(let table, let row):
            append(table.rawValue)
            append(row.rawValue)
        case .list(let number), .dictionary(let number): append(number)
        }
        return bytes
    }

    /// The type, and the value as a column of that type stores it; `nil` for links, lists and
    /// dictionaries.
    package var scalar: (type: ScalarType, value: Value)? {
        switch self {
        case .bool(let x): (.bool, .bool(x))
        case .int(let x): (.int, .int(x))
        case .float(let x): (.float, .double(Double(x)))
        case .double(let x): (.double, .double(x))
        case .decimal(let x): (.decimal, .decimal(x))
        case .string(let x): (.string, .string(x))
        case .data(let x): (.data, .data(x))
        case .date(let x): (.date, .date(x))
        case .objectId(let x): (.objectId, .objectId(x))
        case .uuid(let x): (.uuid, .uuid(x))
        case .link, .list, .dictionary: nil
        }
    }

    /// Creates the content from a value as a column of the given type stores it. Returns `nil` for
    /// null and for values of any type.
    package init?(_ value: Value, of type: ScalarType) {
        switch value {
        case .null, .any: return nil
        case .bool(let x): self = .bool(x)
        case .int(let x): self = .int(x)
        case .double(let x): self = type == .float ? .float(Float(x)) : .double(x)
        case .decimal(let x): self = .decimal(x)
        case .string(let x): self = .string(x)
        case .data(let x): self = .data(x)
        case .date(let x): self = .date(x)
        case .objectId(let x): self = .objectId(x)
        case .uuid(let x): self = .uuid(x)
        }
    }

    /// The content as a stored value.
    package var value: Value { .any(bytes) }
}

extension Value {
    /// The decoded content of a value of any type; `nil` for null, for values of other types, and
    /// for invalid bytes, which only a damaged file contains.
    package var anyContent: AnyContent? {
        guard case .any(let bytes) = self else { return nil }
        return bytes.withUnsafeBytes { AnyContent($0) }
    }

    /// Whether this is a value of any type that refers to an object, list or dictionary. Such
    /// values have no minimum or maximum.
    package var isAnyReference: Bool {
        switch anyContent {
        case .link, .list, .dictionary: true
        default: false
        }
    }
}

extension AnyContent {
    /// The value as error messages show it.
    var text: String {
        switch self {
        case .float(let x): "\(x)"
        case .link: "an object"
        case .list: "a list"
        case .dictionary: "a dictionary"
        case .bool, .int, .double, .decimal, .string, .data, .date, .objectId, .uuid:
            scalar?.value.keyText ?? ""
        }
    }
}

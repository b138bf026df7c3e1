internal import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension PageCursor: LosslessStringConvertible {
    /// Creates a cursor from its text form. Returns `nil` for any other text.
    public init?(_ text: String) {
        guard let bytes = [UInt8](base64URL: text) else { return nil }
        var reader = PageCursorReader(bytes: bytes[...])
        guard let cursor = reader.cursor() else { return nil }
        // Each cursor has one text form.
        guard equalUTF8(cursor.description, text) else { return nil }
        self = cursor
    }

    /// The text form. It consists of letters, digits, hyphens and underscores.
    public var description: String {
        var writer = PageCursorWriter()
        writer.add(self)
        return writer.bytes.base64URL
    }
}

extension PageCursor: Codable {
    /// Decodes the text form.
    ///
    /// - Throws: `DecodingError` for any other text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let cursor = PageCursor(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text.shortened)\" is not a page cursor.")
        }
        self = cursor
    }

    /// Encodes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension [UInt8] {
    /// Base64 with the alphabet of URLs, without padding.
    fileprivate var base64URL: String {
        let text = Data(self).base64EncodedString().utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    fileprivate init?(base64URL text: String) {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): bytes.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): bytes.append(UInt8(ascii: "/"))
            default: bytes.append(byte)
            }
        }
        while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
        guard let data = Data(base64Encoded: Data(bytes)) else { return nil }
        self = [UInt8](data)
    }
}

/// The format of the bytes in the text form: its number, the timeline and version, the keys of the
/// classes, the class, the collection and the order, the row and the values. (Format 1 had the
/// identity of the realm instead of the timeline, the version and the keys.)
private let pageCursorFormat: UInt8 = 2

private struct PageCursorWriter {
    private(set) var bytes: [UInt8] = [pageCursorFormat]

    mutating func add(_ cursor: PageCursor) {
        add(cursor.timeline.high)
        add(cursor.timeline.low)
        add(cursor.version)
        add(count: UInt64(cursor.tables.count))
        for table in cursor.tables { add(count: UInt64(table)) }
        for text in [cursor.className, cursor.collection, cursor.order] {
            add(Array(text.wrappedValue.utf8))
        }
        add(count: cursor.place.key.rawValue)
        add(count: UInt64(cursor.place.occurrence))
        add(count: UInt64(cursor.place.values.count))
        for value in cursor.place.values { add(value) }
    }

    private mutating func add(_ value: Value) {
        bytes.append(value.type?.rawValue ?? 0)
        switch value {
        case .null: break
        case .bool(let x): bytes.append(x ? 1 : 0)
        case .int(let x): add(UInt64(bitPattern: x))
        case .double(let x), .date(let x): add(x.bitPattern)
        case .string(let x): add(Array(x.utf8))
        case .data(let x), .any(let x): add(x)
        case .uuid(let x):
            add(x.high)
            add(x.low)
        case .objectId(let x):
            add(x.high)
            add(x.low)
        case .decimal(let x):
            add(x.high)
            add(x.low)
        }
    }

    private mutating func add(_ word: some FixedWidthInteger) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func add(_ content: [UInt8]) {
        add(count: UInt64(content.count))
        bytes += content
    }

    /// Adds a number in 7-bit groups, lowest first.
    private mutating func add(count: UInt64) {
        var rest = count
        while rest > 127 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

/// Reads what `PageCursorWriter` writes. Returns `nil` for anything else.
private struct PageCursorReader {
    var bytes: ArraySlice<UInt8>

    mutating func cursor() -> PageCursor? {
        guard bytes.popFirst() == pageCursorFormat, let high: UInt64 = word(),
            let low: UInt64 = word(), let version: UInt64 = word(), let tables = tables(),
            let className = text(), let collection = text(), let order = text(),
            let key = count(), let occurrence = count().flatMap({ Int(exactly: $0) }),
            let valueCount = count(), valueCount <= UInt64(bytes.count)
        else { return nil }
        var values: [Value] = []
        for _ in 0..<valueCount {
            guard let value = value() else { return nil }
            values.append(value)
        }
        guard bytes.isEmpty else { return nil }
        return PageCursor(
            version: version, timeline: Identity128(high: high, low: low), tables: tables,
            className: StoredText(className), collection: StoredText(collection),
            order: StoredText(order),
            place: PagePlace(
                values: values, key: ObjectKey(rawValue: key), occurrence: occurrence))
    }

    private mutating func tables() -> [UInt32]? {
        guard let tableCount = count(), tableCount <= UInt64(bytes.count) else { return nil }
        var tables: [UInt32] = []
        for _ in 0..<tableCount {
            guard let table = count().flatMap({ UInt32(exactly: $0) }) else { return nil }
            tables.append(table)
        }
        return tables
    }

    private mutating func value() -> Value? {
        guard let kind = bytes.popFirst() else { return nil }
        if kind == 0 { return .null }
        guard let type = ValueType(rawValue: kind) else { return nil }
        switch type {
        case .bool: return bytes.popFirst().map { .bool($0 != 0) }
        case .int: return word().map { .int(Int64(bitPattern: $0)) }
        case .double: return word().map { .double(Double(bitPattern: $0)) }
        case .date: return word().map { .date(Double(bitPattern: $0)) }
        case .string: return text().map { .string($0) }
        case .data: return content().map { .data(Array($0)) }
        case .any: return content().map { .any(Array($0)) }
        case .uuid:
            guard let high: UInt64 = word(), let low: UInt64 = word() else { return nil }
            return .uuid(Identity128(high: high, low: low))
        case .objectId:
            guard let high: UInt64 = word(), let low: UInt32 = word() else { return nil }
            return .objectId(ObjectIdBytes(high: high, low: low))
        case .decimal:
            guard let high: UInt64 = word(), let low: UInt64 = word() else { return nil }
            return .decimal(DecimalBits(high: high, low: low))
        }
    }

    private mutating func word<Word: FixedWidthInteger>() -> Word? {
        let size = Word.bitWidth / 8
        guard bytes.count >= size else { return nil }
        var word: Word = 0
        for byte in bytes.prefix(size).reversed() { word = word << 8 | Word(byte) }
        bytes = bytes.dropFirst(size)
        return word
    }

    private mutating func text() -> String? {
        content().flatMap { String(validating: $0, as: UTF8.self) }
    }

    private mutating func content() -> ArraySlice<UInt8>? {
        guard let length = count(), length <= UInt64(bytes.count) else { return nil }
        let content = bytes.prefix(Int(length))
        bytes = bytes.dropFirst(Int(length))
        return content
    }

    private mutating func count() -> UInt64? {
        var count: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            count |= UInt64(byte & 127) << shift
            if byte < 128 { return count }
        }
        return nil
    }
}

import RegnumStore

/// The values of one column for some rows, in the mode that the values determine. `Docs/FORMAT.md`
/// specifies the layout.
enum ColumnBlock {
    static func encode(_ values: [Value], _ type: ValueType, _ writer: inout RecordWriter) {
        var nullCount = 0
        for value in values where value.isNull { nullCount += 1 }
        if nullCount == values.count {
            writer.byte(2)
        } else if nullCount > 0 {
            writer.byte(1)
            encodeBits(values, &writer) { !$0.isNull }
            payload(values.filter { !$0.isNull }, type, &writer)
        } else if values.count >= 2, values.allSatisfy({ $0 == values[0] }) {
            writer.byte(3)
            let start = writer.bytes.count
            payload([values[0]], type, &writer)
            if type.isText {
                writer.elidedTextByteCount += (values.count - 1) * (writer.bytes.count - start)
            }
        } else {
            writer.byte(0)
            payload(values, type, &writer)
        }
    }

    @inline(__always)
    private static func encodeBits(
        _ values: [Value], _ writer: inout RecordWriter, _ isSet: (Value) -> Bool
    ) {
        var bits: UInt8 = 0
        for (index, value) in values.enumerated() {
            if isSet(value) { bits |= 1 << UInt8(index % 8) }
            if index % 8 == 7 {
                writer.byte(bits)
                bits = 0
            }
        }
        if values.count % 8 != 0 { writer.byte(bits) }
    }

    private static func payload(
        _ values: [Value], _ type: ValueType, _ writer: inout RecordWriter
    ) {
        if type == .bool {
            encodeBits(values, &writer) { value in
                if case .bool(true) = value { true } else { false }
            }
            return
        }
        for value in values { beginning(value, &writer) }
        guard type.isText else { return }
        for value in values { text(value, &writer) }
    }

    /// Encodes the block of a single row.
    static func encode(_ value: Value, _ writer: inout RecordWriter) {
        switch value {
        case .null:
            writer.byte(2)
        case .bool(let x):
            writer.byte(0)
            writer.byte(x ? 1 : 0)
        default:
            writer.byte(0)
            beginning(value, &writer)
            text(value, &writer)
        }
    }

    /// Writes a value's bytes, or the length of a text.
    @inline(__always)
    private static func beginning(_ value: Value, _ writer: inout RecordWriter) {
        switch value {
        case .int(let x): writer.zigzag(x)
        case .double(let x), .date(let x): writer.fixed(x.bitPattern)
        case .string(let x): writer.varint(x.utf8.count)
        case .data(let x), .any(let x): writer.varint(x.count)
        case .uuid(let x):
            writer.bigEndian(x.high)
            writer.bigEndian(x.low)
        case .objectId(let x):
            writer.bigEndian(x.high)
            writer.bigEndian(x.low)
        case .decimal(let x):
            writer.bigEndian(x.high)
            writer.bigEndian(x.low)
        case .null, .bool: break
        }
    }

    @inline(__always)
    private static func text(_ value: Value, _ writer: inout RecordWriter) {
        switch value {
        case .string(let x): writer.raw(x)
        case .data(let x), .any(let x): writer.raw(x)
        default: break
        }
    }
}

// MARK: - Decoding

extension ColumnBlock {
    /// - Parameter count: The number of rows, already limited by the caller.
    static func decode(
        _ reader: inout RecordReader, _ type: ValueType, count: Int
    ) throws(StoreError) -> [Value] {
        let mode = try reader.byte()
        switch mode {
        case 0:
            return try values(&reader, type, count)
        case 1:
            let present = try bits(&reader, count)
            var presentCount = 0
            for bit in present where bit { presentCount += 1 }
            try reader.require(
                presentCount > 0 && presentCount < count, "a presence bitmap is redundant")
            let some = try values(&reader, type, presentCount)
            var all: [Value] = []
            all.reserveCapacity(count)
            var next = 0
            for bit in present {
                all.append(bit ? some[next] : .null)
                if bit { next += 1 }
            }
            return all
        case 2:
            return [Value](repeating: .null, count: count)
        case 3:
            try reader.require(count >= 2, "a single value is encoded as repeated")
            return [Value](repeating: try values(&reader, type, 1)[0], count: count)
        default:
            throw .newer("A commit record has a column block of the unknown mode \(mode)")
        }
    }

    private static func bits(
        _ reader: inout RecordReader, _ count: Int
    ) throws(StoreError) -> [Bool] {
        let bytes = try reader.data((count + 7) / 8)
        if count % 8 != 0, let last = bytes.last {
            try reader.require(last >> UInt8(count % 8) == 0, "a bitmap has bits past its end")
        }
        return (0..<count).map { bytes[$0 / 8] & (1 << UInt8($0 % 8)) != 0 }
    }

    private static func values(
        _ reader: inout RecordReader, _ type: ValueType, _ count: Int
    ) throws(StoreError) -> [Value] {
        if type == .bool { return try bits(&reader, count).map { .bool($0) } }
        if type.isText { return try texts(&reader, type, count) }
        var values: [Value] = []
        let minimumSize = smallestSize(type)
        try reader.require(reader.remaining / minimumSize >= count, "it ends early")
        values.reserveCapacity(count)
        for _ in 0..<count {
            switch type {
            case .int: values.append(.int(try reader.zigzag()))
            case .double: values.append(.double(try double(&reader)))
            case .date:
                let seconds = try double(&reader)
                try reader.require(!seconds.isNaN, "a date is NaN")
                values.append(.date(seconds))
            case .uuid:
                let high = try reader.bigEndian(UInt64.self)
                let low = try reader.bigEndian(UInt64.self)
                values.append(.uuid(Identity128(high: high, low: low)))
            case .decimal:
                let high = try reader.bigEndian(UInt64.self)
                let low = try reader.bigEndian(UInt64.self)
                values.append(.decimal(DecimalBits(high: high, low: low)))
            case .objectId:
                let high = try reader.bigEndian(UInt64.self)
                let low = try reader.bigEndian(UInt32.self)
                values.append(.objectId(ObjectIdBytes(high: high, low: low)))
            case .bool, .string, .data, .any: break
            }
        }
        return values
    }

    private static func double(_ reader: inout RecordReader) throws(StoreError) -> Double {
        Double(bitPattern: try reader.fixed(UInt64.self))
    }

    static func smallestSize(_ type: ValueType) -> Int {
        switch type {
        case .bool, .int, .string, .data, .any: 1
        case .double, .date: 8
        case .uuid, .decimal: 16
        case .objectId: 12
        }
    }

    private static func texts(
        _ reader: inout RecordReader, _ type: ValueType, _ count: Int
    ) throws(StoreError) -> [Value] {
        try reader.require(reader.remaining >= count, "it ends early")
        var sizes: [Int] = []
        sizes.reserveCapacity(count)
        for _ in 0..<count {
            let maximumSize = min(type.maximumByteCount, reader.remaining)
            sizes.append(try reader.count(max: maximumSize, "a length"))
        }
        var values: [Value] = []
        values.reserveCapacity(count)
        for size in sizes {
            switch type {
            case .string: values.append(.string(try reader.string(size)))
            case .any:
                let bytes = try reader.data(size)
                try reader.require(
                    bytes.withUnsafeBytes { AnyContent.areSound($0) },
                    "a value of any type is invalid")
                values.append(.any(bytes))
            default: values.append(.data(try reader.data(size)))
            }
        }
        return values
    }
}

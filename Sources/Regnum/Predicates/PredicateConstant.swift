internal import FoundationEssentials
internal import RegnumEngine

/// A constant of a predicate string: a literal, or a value passed with it.
enum PredicateConstant {
    case null
    /// A number in decimal notation, `inf`, `-inf` or `nan`. It is read as the type that it is
    /// compared with, so that decimals are exact.
    case number(String)
    case bytes([UInt8])
    /// Seconds since the reference date.
    case date(Double)
    /// A string, `Bool`, or a value of any type that a property can have.
    case value(Any)
    case object(ObjectBase)
    case frozen(any FrozenOperand)

    /// - Parameters:
    ///   - kind: `uuid` or `oid`.
    init?(identifier kind: String, _ text: String) {
        if kind == "uuid", let uuid = UUID(uuidString: text) {
            self = .value(uuid)
        } else if kind == "oid", let id = ObjectId(text) {
            self = .value(id)
        } else {
            return nil
        }
    }

    /// - Parameters:
    ///   - text: A number in decimal notation, `inf`, `-inf` or `nan`.
    ///   - type: `int`, `float`, `double`, `decimal`, or `date` for seconds since 2001.
    init?(number text: String, type: String) {
        let value: Any?
        switch type {
        case "int": value = Int(text)
        case "float": value = Self.inRange(Float(text), text)
        case "double": value = Self.inRange(Double(text), text)
        case "decimal": value = DecimalBits(exactText: text).map { Decimal128($0) }
        default:
            guard let seconds = Self.inRange(Double(text), text) else { return nil }
            self = .date(seconds)
            return
        }
        guard let value else { return nil }
        self = .value(value)
    }

    /// Creates the constant of a value that isn't a collection.
    init(_ value: Any?) {
        guard let value = value.flatMap({ unwrapped($0) }) else {
            self = .null
            return
        }
        if let object = instance(of: ObjectBase.self, value) {
            self = .object(object._storedObject)  // for a projection, the projected object
        } else if let frozen = value as? any FrozenOperand {
            self = .frozen(frozen)
        } else if let content = value as? any FrozenContent {
            self.init(content.operand)
        } else if let any = value as? AnyRealmValue {
            self.init(any)
        } else if let text = value as? Substring {
            self = .value(String(text))
        } else {
            self = .value(value)
        }
    }

    private init(_ any: AnyRealmValue) {
        switch any {
        case .none: self = .null
        case .int(let value): self = .value(value)
        case .bool(let value): self = .value(value)
        case .float(let value): self = .value(value)
        case .double(let value): self = .value(value)
        case .string(let value): self = .value(value)
        case .data(let value): self = .value(value)
        case .date(let value): self = .value(value)
        case .objectId(let value): self = .value(value)
        case .decimal128(let value): self = .value(value)
        case .uuid(let value): self = .value(value)
        case .object(let object): self = .object(object)
        case .dictionary, .list: self = .value(any)
        }
    }
}

/// The place of a number among the integers.
enum NumberPlace {
    case at(Int64)
    /// Greater than this integer and less than the next one, if there is one.
    case after(Int64)
    case beforeAll

    /// - Returns: `nil` for NaN.
    init?(_ decimal: DecimalBits) {
        if decimal.isNaN { return nil }
        if let integer = decimal.exactInt64 {
            self = .at(integer)
        } else if let whole = decimal.truncatedInt64, !decimal.isNegative || whole > .min {
            self = .after(decimal.isNegative ? whole - 1 : whole)
        } else {
            self = decimal.isNegative ? .beforeAll : .after(.max)
        }
    }

    /// - Returns: `nil` for NaN.
    init?(_ number: Double) {
        if number.isNaN { return nil }
        if let integer = Int64(exactly: number) {
            self = .at(integer)
        } else if number.magnitude < 0x1p63 {
            self = .after(Int64(number.rounded(.down)))
        } else {
            self = number < 0 ? .beforeAll : .after(.max)
        }
    }

    init(_ integer: some BinaryInteger) {
        if let integer = Int64(exactly: integer) {
            self = .at(integer)
        } else {
            self = integer.signum() < 0 ? .beforeAll : .after(.max)
        }
    }
}

/// An object of a snapshot, or one accessed by name, as an operand.
protocol FrozenOperand {
    /// Returns the row, or reports an object from another realm.
    func row(in scope: QueryScope) -> ObjectKey?
    /// The name of the class.
    var operandClass: String { get }
    /// The stored class, or `nil` if it doesn't exist.
    var operandTable: TableSchema? { get }
}

extension FrozenOperand {
    /// Returns the object as a value of any type, which equals none if the object is from another
    /// realm. Returns `nil` for an object to which such a value can't link.
    func operandContent(in scope: QueryScope) -> Value? {
        guard let operandTable, operandTable.kind == .object else { return nil }
        let row = row(in: scope) ?? ObjectKey(rawValue: .max)
        return AnyContent.link(operandTable.key, row).value
    }
}

/// A value of any type in a snapshot, as an operand.
protocol FrozenContent {
    /// The same as a value of a transaction or, for an object, as a `FrozenOperand`.
    var operand: Any { get }
}

extension PredicateConstant {
    /// Whether the constant is an object.
    var isObject: Bool {
        switch self {
        case .object, .frozen: true
        default: false
        }
    }

    var isNull: Bool { if case .null = self { true } else { false } }

    /// The number among the integers, if the constant is a number other than NaN.
    var place: NumberPlace? {
        switch self {
        case .number(let text): return Self.place(text)
        case .value(is Bool): return nil
        case .value(let value as String): return Self.place(value)
        case .value(let value as Decimal128): return NumberPlace(value.bits)
        case .value(let value as Decimal): return NumberPlace(Decimal128(value).bits)
        case .value(let value):
            if let integer = value as? any BinaryInteger { return NumberPlace(integer) }
            if let number = value as? any BinaryFloatingPoint { return NumberPlace(Double(number)) }
            if case .int(let integer)? = (value as? any ScalarValue)?.engineValue {
                return .at(integer)
            }
            return nil
        default: return nil
        }
    }

    private static func place(_ text: String) -> NumberPlace? {
        if let integer = Int64(text) { return .at(integer) }
        return DecimalBits(exactText: text).flatMap { NumberPlace($0) }
    }

    /// Returns the constant in its stored form, or `nil` if no value of the type equals it, as for
    /// 2.5 as an integer or "x" as a number.
    func stored(as storage: _StorageType) -> Value? {
        switch self {
        case .null: return .null
        case .number(let text): return Self.number(text, storage)
        case .bytes(let bytes):
            switch storage.valueType {
            case .data: return .data(bytes)
            case .any: return AnyContent.data(bytes).value
            default: return nil
            }
        case .date(let seconds):
            switch storage.valueType {
            case .date: return .date(seconds)
            case .any: return AnyContent.date(seconds).value
            default: return nil
            }
        case .value(let value): return Self.value(value, storage)
        case .object, .frozen: return nil
        }
    }

    private static func number(_ text: String, _ storage: _StorageType) -> Value? {
        switch storage.valueType {
        case .int: return integer(text).map { .int($0) }
        case .bool: return integer(text).flatMap { storage.engineValue(of: $0) }
        case .double:
            guard storage.scalar == .float else {
                return inRange(Double(text), text).map { .double($0) }
            }
            // parsed directly: going through a double could round it to a different float
            return inRange(Float(text), text).map { .double(Double($0)) }
        case .decimal: return DecimalBits(exactText: text).map { .decimal($0) }
        case .any:
            if let integer = Int64(text) { return AnyContent.int(integer).value }
            guard let number = inRange(Double(text), text) else { return nil }
            if let integer = bigInteger(text), DecimalBits.compare(integer, number) != 0 {
                return AnyContent.decimal(integer).value
            }
            return AnyContent.double(number).value
        default: return nil
        }
    }

    /// Returns a number that was parsed from a text, or `nil` if the text is a number that is too
    /// large for the type and was parsed as an infinity.
    private static func inRange<Number: BinaryFloatingPoint>(
        _ number: Number?, _ text: String
    ) -> Number? {
        let isTooLarge =
            number?.isInfinite == true
            && text.utf8.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return isTooLarge ? nil : number
    }

    /// Returns an integer of up to 34 digits as a decimal, because it may be between two
    /// doubles.
    private static func bigInteger(_ text: String) -> DecimalBits? {
        guard text.utf8.allSatisfy({ $0 < UInt8(ascii: ".") || (0x30...0x39).contains($0) })
        else { return nil }
        return DecimalBits(exactText: text)
    }

    private static func integer(_ text: String) -> Int64? {
        if case .at(let integer)? = place(text) { integer } else { nil }
    }

    private static func value(_ value: Any, _ storage: _StorageType) -> Value? {
        if storage.valueType == .any { return anyValue(value) }
        if value is Bool, storage.valueType != .bool { return nil }
        guard let text = value as? String else { return storage.engineValue(of: value) }
        switch storage.valueType {
        case .double, .decimal: return number(text, storage)
        case .data: return .data(Array(text.utf8))
        case .objectId: return ObjectId(text)?.engineValue
        default: return storage.engineValue(of: value)
        }
    }

    private static func anyValue(_ value: Any) -> Value? {
        if let decimal = value as? Decimal {
            return AnyContent.decimal(Decimal128(decimal).bits).value
        }
        guard let stored = (value as? any ScalarValue)?.engineValue else {
            return (value as? any BinaryInteger).flatMap { Int64(exactly: $0) }
                .map { AnyContent.int($0).value }
        }
        let content: AnyContent
        switch stored {
        case .null, .any: return stored
        case .bool(let value): content = .bool(value)
        case .int(let value): content = .int(value)
        case .double(let value): content = .double(value)
        case .string(let value): content = .string(value)
        case .data(let value): content = .data(value)
        case .date(let value): content = .date(value)
        case .uuid(let value): content = .uuid(value)
        case .objectId(let value): content = .objectId(value)
        case .decimal(let value): content = .decimal(value)
        }
        return content.value
    }

    /// The string, if the constant is one.
    var text: String? {
        guard case .value(let value) = self else { return nil }
        if case .string(let text)? = (value as? any ScalarValue)?.engineValue { return text }
        return nil
    }

    /// The bytes, if the constant is data.
    var data: [UInt8]? {
        if case .bytes(let bytes) = self { return bytes }
        guard case .value(let value) = self, case .data(let bytes)? = (value as? Data)?.engineValue
        else { return nil }
        return bytes
    }

    /// The constant for messages.
    var described: String {
        switch self {
        case .null: "nil"
        case .number(let text): "the number \(text.shortened)"
        case .bytes(let bytes): "data of \(bytes.count) bytes"
        case .date(let seconds): "the date \(Date(timeIntervalSinceReferenceDate: seconds).printed)"
        case .value(let text as String): "the string \"\(text.shortened)\""
        case .value(let value): describedWithType(value)
        case .object(let object): "\(type(of: object))".withArticle
        case .frozen(let object): object.operandClass.withArticle
        }
    }
}

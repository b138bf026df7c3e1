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

    /// Creates the constant of a value that isn't a collection.
    init(_ value: Any?) {
        guard let value = value.flatMap({ unwrapped($0) }) else {
            self = .null
            return
        }
        if let object = instance(of: ObjectBase.self, value) {
            self = .object(object)
        } else if let frozen = value as? any FrozenOperand {
            self = .frozen(frozen)
        } else if let any = value as? AnyRealmValue {
            self.init(any)
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

/// An object of a snapshot as an operand.
protocol FrozenOperand {
    /// Returns the row, or reports an object of another realm.
    func row(in scope: QueryScope) -> ObjectKey?
    var schema: ClassSchema { get }
}

extension PredicateConstant {
    /// Whether the constant is an object.
    var isObject: Bool {
        switch self {
        case .object, .frozen: true
        default: false
        }
    }

    /// Whether the constant is a number that isn't an integer, such as 2.5.
    var fraction: Double? {
        let number: Double? =
            switch self {
            case .number(let text): Double(text)
            case .value(let value): (value as? any BinaryFloatingPoint).map { Double($0) }
            default: nil
            }
        guard let number, number != number.rounded() || number.isInfinite else { return nil }
        return number
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
        case .double: return Double(text).flatMap { storage.engineValue(of: $0) }
        case .decimal: return DecimalBits(text: text).map { .decimal($0) }
        case .any:
            if let integer = Int64(text) { return AnyContent.int(integer).value }
            return Double(text).map { AnyContent.double($0).value }
        default: return nil
        }
    }

    private static func integer(_ text: String) -> Int64? {
        Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
    }

    private static func value(_ value: Any, _ storage: _StorageType) -> Value? {
        if storage.valueType == .any { return anyValue(value) }
        if let stored = storage.engineValue(of: value) { return stored }
        if let number = value as? any BinaryFloatingPoint, storage.valueType == .int {
            return Int64(exactly: Double(number)).map { .int($0) }
        }
        guard let text = value as? String else { return nil }
        switch storage.valueType {
        case .int, .double: return number(text, storage)
        case .data: return .data(Array(text.utf8))
        case .objectId: return ObjectId(text)?.engineValue
        default: return nil
        }
    }

    private static func anyValue(_ value: Any) -> Value? {
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
        return (value as? Substring).map { String($0) }
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
        case .number(let text): "the number \(text)"
        case .bytes(let bytes): "data of \(bytes.count) bytes"
        case .date(let seconds): "the date \(Date(timeIntervalSinceReferenceDate: seconds).printed)"
        case .value(let text as String): "the string \"\(text.shortened)\""
        case .value(let value): describedWithType(value)
        case .object(let object): "\(type(of: object))".withArticle
        case .frozen(let object): object.schema.name.withArticle
        }
    }
}

public import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

/// The value of an ``AnyRealmValue`` property in a snapshot, as returned by ``Frozen``. Unlike an
/// `AnyRealmValue`, it is `Sendable`.
///
///     let content = note.content                       // FrozenAnyValue
///     if case .dictionary(let entries) = content { print(entries["title"] ?? .none) }
///
/// Lists and dictionaries are ordinary Swift collections. Two values are equal if they are of the
/// same case with equal values; objects are equal if they are the same row with the same content.
public enum FrozenAnyValue: Sendable, Hashable {
    case none
    case int(Int)
    case bool(Bool)
    case float(Float)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case object(FrozenAnyObject)
    case objectId(ObjectId)
    case decimal128(Decimal128)
    case uuid(UUID)
    case dictionary([String: FrozenAnyValue])
    case list([FrozenAnyValue])

    /// The integer; `nil` for values of other cases, which aren't converted.
    public var intValue: Int? { if case .int(let value) = self { value } else { nil } }

    /// The Boolean; `nil` for values of other cases, which aren't converted.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The float; `nil` for values of other cases, which aren't converted.
    public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }

    /// The double; `nil` for values of other cases, which aren't converted.
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }

    /// The string; `nil` for values of other cases, which aren't converted.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

    /// The data; `nil` for values of other cases, which aren't converted.
    public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }

    /// The date; `nil` for values of other cases, which aren't converted.
    public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }

    /// The object id; `nil` for values of other cases, which aren't converted.
    public var objectIdValue: ObjectId? {
        if case .objectId(let value) = self { value } else { nil }
    }

    /// The decimal; `nil` for values of other cases, which aren't converted.
    public var decimal128Value: Decimal128? {
        if case .decimal128(let value) = self { value } else { nil }
    }

    /// The UUID; `nil` for values of other cases, which aren't converted.
    public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }

    /// The dictionary; `nil` for values of other cases, which aren't converted.
    public var dictionaryValue: [String: FrozenAnyValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The list; `nil` for values of other cases, which aren't converted.
    public var listValue: [FrozenAnyValue]? {
        if case .list(let value) = self { value } else { nil }
    }

    /// The object, of any class; `nil` for values of other cases.
    public var objectValue: FrozenAnyObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// Returns the object if it is an instance of the given class.
    public func object<T: Object>(_ type: T.Type) -> Frozen<T>? {
        if case .object(let object) = self { object.object(type) } else { nil }
    }

    /// The list element at a position; `nil` if this isn't a list, or if the position is out of
    /// range.
    public subscript(position: Int) -> FrozenAnyValue? {
        guard case .list(let values) = self, values.indices.contains(position) else { return nil }
        return values[position]
    }

    /// The dictionary value for a key; `nil` if this isn't a dictionary, or if there is no such
    /// key.
    public subscript(key: String) -> FrozenAnyValue? {
        if case .dictionary(let values) = self { values[key] } else { nil }
    }
}

/// An object of any class in a snapshot.
public struct FrozenAnyObject: Sendable, Hashable {
    let table: FrozenTable
    let row: ObjectKey

    /// The name of the object's class.
    public var className: String { table.schema.name }

    /// The identity of the object's row.
    public var rowIdentity: RowIdentity {
        RowIdentity(className: className, row: row.rawValue)
    }

    /// Returns the object if it is an instance of the given class.
    public func object<T: Object>(_ type: T.Type) -> Frozen<T>? {
        table.schema.type == type ? Frozen<T>(table, row: row) : nil
    }

    public static func == (left: FrozenAnyObject, right: FrozenAnyObject) -> Bool {
        left.isSameObject(as: right) && left.table.hasSameContent(left.row, right.table)
    }

    /// Whether both are the same row of the same realm, in any version.
    fileprivate func isSameObject(as other: FrozenAnyObject) -> Bool {
        row == other.row && table.isSameClass(as: other.table)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(row) }
}

extension FrozenAnyValue {
    /// Converts a plain value; returns `nil` for objects, lists and dictionaries.
    init?(_ value: AnyRealmValue) {
        switch value {
        case .none: self = .none
        case .int(let value): self = .int(value)
        case .bool(let value): self = .bool(value)
        case .float(let value): self = .float(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(value)
        case .date(let value): self = .date(value)
        case .objectId(let value): self = .objectId(value)
        case .decimal128(let value): self = .decimal128(value)
        case .uuid(let value): self = .uuid(value)
        case .object, .dictionary, .list: return nil
        }
    }
}

extension FrozenAnyValue {
    /// Returns whether both have the same stored form: values are compared by their bits, objects
    /// by their rows.
    func isSame(as other: FrozenAnyValue) -> Bool {
        switch (self, other) {
        case (.list(let a), .list(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
        case (.dictionary(let a), .dictionary(let b)):
            a.count == b.count
                && a.allSatisfy { key, value in
                    guard let index = b.index(forKey: key) else { return false }
                    return StoredText(b[index].key) == StoredText(key)
                        && value.isSame(as: b[index].value)
                }
        case (.object(let a), .object(let b)): a.isSameObject(as: b)
        default: engineValue == other.engineValue  // also for different kinds
        }
    }
}

extension FrozenAnyValue: CustomStringConvertible {
    /// The description of the contained value; "nil" for `none`. Shows only the first bytes of
    /// data, and at most 100 elements of a list or dictionary.
    public var description: String {
        ReadScope.describe("FrozenAnyValue") {
            ObjectPrinter.text { $0.print(self) }
        }
    }
}

extension FrozenAnyObject: CustomStringConvertible {
    /// A description listing the properties and their values, one per line, like that of
    /// ``Frozen``.
    public var description: String {
        ReadScope.describe(className) {
            table.compute(table.schema.type, row) { $0.description }
        }
    }
}

/// Required by streams and collections of values. Not usable as the type of a property.
extension FrozenAnyValue: ScalarValue {
    public static var _storage: _StorageType { AnyRealmValue._storage }

    public static func _makeDefault() -> FrozenAnyValue { .none }

    public static func _decode(_ value: _StoredValue) -> FrozenAnyValue? {
        AnyRealmValue._decode(value).flatMap { FrozenAnyValue($0) }
    }

    public func _encode() -> _StoredValue {
        switch self {
        case .none: _StoredValue(.null)
        case .int(let value): AnyRealmValue.int(value)._encode()
        case .bool(let value): AnyRealmValue.bool(value)._encode()
        case .float(let value): AnyRealmValue.float(value)._encode()
        case .double(let value): AnyRealmValue.double(value)._encode()
        case .string(let value): AnyRealmValue.string(value)._encode()
        case .data(let value): AnyRealmValue.data(value)._encode()
        case .date(let value): AnyRealmValue.date(value)._encode()
        case .objectId(let value): AnyRealmValue.objectId(value)._encode()
        case .decimal128(let value): AnyRealmValue.decimal128(value)._encode()
        case .uuid(let value): AnyRealmValue.uuid(value)._encode()
        case .object(let object):
            _StoredValue(
                object.table.snapshot.root.schema.table(named: object.className)
                    .map { AnyContent.link($0.key, object.row).value } ?? .null)
        case .dictionary: _StoredValue(AnyContent.dictionary(0).value)
        case .list: _StoredValue(AnyContent.list(0).value)
        }
    }
}

extension FrozenAnyValue: Encodable {
    /// Encodes the contained value; `none` as null, and an object as its row identity.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .none: try container.encodeNil()
        case .int(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .float(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .object(let value): try container.encode(value.rowIdentity)
        case .objectId(let value): try container.encode(value)
        case .decimal128(let value): try container.encode(value)
        case .uuid(let value): try container.encode(value)
        case .dictionary(let values): try container.encode(values)
        case .list(let values): try container.encode(values)
        }
    }
}

extension FrozenAnyValue: SummableValue, BoundedValue {
    public typealias Required = AnyRealmValue
    public typealias Total = AnyRealmValue
    public typealias Mean = AnyRealmValue
}

extension PropertySchema {
    /// Whether the property is declared with a type that only snapshots use.
    var isFrozenAny: Bool { field.valueType == FrozenAnyValue.self }
}

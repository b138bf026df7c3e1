public import FoundationEssentials

/// A property value whose type is determined at run time: one of the cases below.
///
///     final class Note: Object {
///         @Persisted var content: AnyRealmValue
///     }
///     note.content = .int(5)
///     note.content = .fromDictionary(["title": .string("Milk"), "done": .bool(false)])
///     note.content.dictionaryValue?["done"] = .bool(true)
///
/// Properties of this type are never optional: ``none`` represents `nil`. Elements of ``List``,
/// ``MutableSet`` and ``Map`` can also be of this type. Stored values keep their case: `.int(5)`
/// and `.double(5)` aren't equal in Swift, but queries, sorting and sets treat numbers of different
/// cases as equal if their numeric values are.
///
/// Lists and dictionaries can be nested, up to 100 levels deep. Those read from a managed object
/// are accessors of the stored collection: modifying them modifies the object. Assigning a list
/// or dictionary replaces the previous value with a copy and invalidates accessors of the
/// replaced collection. A set cannot contain lists or dictionaries, and a value cannot be a set
/// or an embedded object.
///
/// An object is a link: assigning an unmanaged object adds it to the realm, and deleting the object
/// makes the value ``none``.
public enum AnyRealmValue {
    /// No value.
    case none
    case int(Int)
    case bool(Bool)
    case float(Float)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    /// An object of any class in the realm.
    case object(Object)
    case objectId(ObjectId)
    case decimal128(Decimal128)
    case uuid(UUID)
    case dictionary(Map<String, AnyRealmValue>)
    case list(List<AnyRealmValue>)
}

@available(*, unavailable, message: "AnyRealmValue can hold objects: send a FrozenAnyValue instead")
extension AnyRealmValue: Sendable {}

extension AnyRealmValue {
    /// Returns a list of the given values.
    public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue { .list(List(array)) }

    /// Returns a dictionary of the given values.
    public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in dictionary { map[key] = value }
        return .dictionary(map)
    }

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
    public var dictionaryValue: Map<String, AnyRealmValue>? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The list; `nil` for values of other cases, which aren't converted.
    public var listValue: List<AnyRealmValue>? {
        if case .list(let value) = self { value } else { nil }
    }

    /// Returns the object if it is an instance of the given class.
    public func object<T: Object>(_ type: T.Type) -> T? {
        if case .object(let value) = self { value as? T } else { nil }
    }
}

extension AnyRealmValue: Hashable {
    /// Returns whether both values are of the same case with equal contents. Unmanaged lists and
    /// dictionaries are equal if their elements are; managed ones are equal only if they are the
    /// same collection. Objects are equal if they are the same object.
    public static func == (left: AnyRealmValue, right: AnyRealmValue) -> Bool {
        switch (left, right) {
        case (.none, .none): true
        case (.int(let a), .int(let b)): a == b
        case (.bool(let a), .bool(let b)): a == b
        case (.float(let a), .float(let b)): a == b
        case (.double(let a), .double(let b)): a == b
        case (.string(let a), .string(let b)): a == b
        case (.data(let a), .data(let b)): a == b
        case (.date(let a), .date(let b)): a == b
        case (.object(let a), .object(let b)): a.isSameObject(as: b)
        case (.objectId(let a), .objectId(let b)): a == b
        case (.decimal128(let a), .decimal128(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.list, .list), (.dictionary, .dictionary):
            AnyCollectionComparison.areEqual(left, right)
        default: false
        }
    }

    /// Hashes the value. All lists have the same hash, and so do all dictionaries.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .int(let value): hasher.combine(value)
        case .bool(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .object(let value):
            if value.isManaged {
                hasher.combine(value._row)
            } else {
                hasher.combine(ObjectIdentifier(value))
            }
        case .objectId(let value): hasher.combine(value)
        case .decimal128(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .dictionary: hasher.combine(12)
        case .list: hasher.combine(13)
        }
    }
}

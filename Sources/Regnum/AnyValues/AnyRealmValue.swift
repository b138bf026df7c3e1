public import FoundationEssentials

/// A property of a model whose type is told by the value: one of these kinds, or nothing.
///
///     final class Note: Object {
///         @Persisted var content: AnyRealmValue
///     }
///     note.content = .int(5)
///     note.content = .fromDictionary(["title": .string("Milk"), "done": .bool(false)])
///     note.content.dictionaryValue?["done"] = .bool(true)
///
/// A property is never optional: ``none`` is nil. Elements of ``List``, ``MutableSet`` and ``Map`` may be of
/// the type too. What is stored keeps its kind: `.int(5)` and `.double(5)` are different values to Swift's
/// `==`, though queries, sorts and sets take numbers of all kinds for the same if they are the same number.
///
/// Lists and dictionaries may lie in each other, at most 100 levels deep. Read from a managed object they
/// are accessors of what is stored: changes of them are changes of the object. Assigning a list or dictionary
/// stores a copy in the place of what was there; accessors of that are invalid then. A set holds no lists and
/// dictionaries, and no value is a set or an embedded object.
///
/// An object is a link: assigning an unmanaged one adds it, and deleting it makes the value ``none``.
public enum AnyRealmValue {
    /// Nothing.
    case none
    case int(Int)
    case bool(Bool)
    case float(Float)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    /// An object of any class of the realm.
    case object(Object)
    case objectId(ObjectId)
    case decimal128(Decimal128)
    case uuid(UUID)
    case dictionary(Map<String, AnyRealmValue>)
    case list(List<AnyRealmValue>)
}

@available(*, unavailable, message: "a value may hold objects and lists: send a FrozenAnyValue")
extension AnyRealmValue: Sendable {}

extension AnyRealmValue {
    /// A list of the values.
    public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue { .list(List(array)) }

    /// A dictionary of the values.
    public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in dictionary { map[key] = value }
        return .dictionary(map)
    }

    // The value if it is of the kind, else nil: nothing is converted.

    public var intValue: Int? { if case .int(let value) = self { value } else { nil } }

    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

    public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }

    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }

    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

    public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }

    public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }

    public var objectIdValue: ObjectId? {
        if case .objectId(let value) = self { value } else { nil }
    }

    public var decimal128Value: Decimal128? {
        if case .decimal128(let value) = self { value } else { nil }
    }

    public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }

    public var dictionaryValue: Map<String, AnyRealmValue>? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    public var listValue: List<AnyRealmValue>? {
        if case .list(let value) = self { value } else { nil }
    }

    /// The object, if it is one of the class.
    public func object<T: Object>(_ type: T.Type) -> T? {
        if case .object(let value) = self { value as? T } else { nil }
    }

    /// The object, of whatever class, by the names of its stored properties; nil for an unmanaged one.
    ///
    /// Confined to the body of the transaction, as the object is.
    public var dynamicObject: DynamicObject? {
        if case .object(let value) = self { value.dynamicObject } else { nil }
    }
}

extension AnyRealmValue: Hashable {
    /// Whether both are of one kind with equal values. Lists and dictionaries of unmanaged values are equal
    /// if they hold equal values, stored ones only if they are the same one; objects if they are the same.
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

    /// Values hash by what they are; all lists and all dictionaries alike.
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

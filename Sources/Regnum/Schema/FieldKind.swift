internal import FoundationEssentials

/// The type of a persisted property, for types whose unmanaged values the library reads without
/// generic code. One case for each such type.
enum FieldKind: Sendable {
    case bool, int, double, string, data, date, uuid, objectId
    case optionalBool, optionalInt, optionalDouble, optionalString
    case optionalData, optionalDate, optionalUUID, optionalObjectId
    /// Any other value type, read through `PersistedField`.
    case other
    /// A link: a column that holds the key of another object's row.
    case link
    /// A list, set, map or inverse, which has no column.
    case collection

    init(of wrapper: any PersistedField.Type) {
        switch ObjectIdentifier(wrapper) {
        case ObjectIdentifier(Persisted<Bool>.self): self = .bool
        case ObjectIdentifier(Persisted<Int>.self): self = .int
        case ObjectIdentifier(Persisted<Double>.self): self = .double
        case ObjectIdentifier(Persisted<String>.self): self = .string
        case ObjectIdentifier(Persisted<Data>.self): self = .data
        case ObjectIdentifier(Persisted<Date>.self): self = .date
        case ObjectIdentifier(Persisted<UUID>.self): self = .uuid
        case ObjectIdentifier(Persisted<ObjectId>.self): self = .objectId
        case ObjectIdentifier(Persisted<Bool?>.self): self = .optionalBool
        case ObjectIdentifier(Persisted<Int?>.self): self = .optionalInt
        case ObjectIdentifier(Persisted<Double?>.self): self = .optionalDouble
        case ObjectIdentifier(Persisted<String?>.self): self = .optionalString
        case ObjectIdentifier(Persisted<Data?>.self): self = .optionalData
        case ObjectIdentifier(Persisted<Date?>.self): self = .optionalDate
        case ObjectIdentifier(Persisted<UUID?>.self): self = .optionalUUID
        case ObjectIdentifier(Persisted<ObjectId?>.self): self = .optionalObjectId
        default:
            self =
                switch wrapper.shape {
                case .scalar: .other
                case .link: .link
                case .list, .set, .map, .linkingObjects: .collection
                }
        }
    }
}

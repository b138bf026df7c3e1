internal import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

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
                case .list, .linkingObjects: .collection
                case .map: .collection
                case .set: .collection
                }
        }
    }
}

extension ObjectBase {
    /// Writes the value of a property of this unmanaged object to a row. Creates the default value
    /// if the property was never read.
    @inline(__always)
    final func put(_ field: BindingPlace.Field, into row: RowInsertion) {
        let offset = Int(field.offset)
        let column = Int(field.column)
        switch field.kind {
        case .bool: row.put(unmanaged(offset, Bool.self), column)
        case .int: row.put(Int64(unmanaged(offset, Int.self)), column)
        case .double: row.put(unmanaged(offset, Double.self), column)
        case .string: row.put(unmanaged(offset, String.self), column)
        case .date:
            row.put(date: unmanaged(offset, Date.self).timeIntervalSinceReferenceDate, column)
        case .objectId: row.put(unmanaged(offset, ObjectId.self).engineValue, column)
        case .optionalInt:
            if let value = unmanaged(offset, Int?.self) {
                row.put(Int64(value), column)
            } else {
                row.put(RegnumEngine.Value.null, column)
            }
        case .optionalDouble:
            if let value = unmanaged(offset, Double?.self) {
                row.put(value, column)
            } else {
                row.put(RegnumEngine.Value.null, column)
            }
        case .optionalString:
            if let value = unmanaged(offset, String?.self) {
                row.put(value, column)
            } else {
                row.put(RegnumEngine.Value.null, column)
            }
        case .data: row.put(unmanaged(offset, Data.self).engineValue, column)
        case .uuid: row.put(unmanaged(offset, UUID.self).engineValue, column)
        case .optionalBool: row.put(unmanaged(offset, Bool?.self).engineValue, column)
        case .optionalData: row.put(unmanaged(offset, Data?.self).engineValue, column)
        case .optionalDate: row.put(unmanaged(offset, Date?.self).engineValue, column)
        case .optionalUUID: row.put(unmanaged(offset, UUID?.self).engineValue, column)
        case .optionalObjectId: row.put(unmanaged(offset, ObjectId?.self).engineValue, column)
        case .other, .link, .collection: break  // written by callers that know the schema
        }
    }

    @inline(__always)
    private final func unmanaged<Value: ScalarValue>(_ offset: Int, _ type: Value.Type) -> Value {
        withField(at: offset, as: Persisted<Value>.self) { wrapper in
            if let value = wrapper._value { return value }
            let value = Value._makeDefault()
            wrapper._value = value
            return value
        }
    }
}

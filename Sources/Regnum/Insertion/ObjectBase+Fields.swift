internal import FoundationEssentials
internal import RegnumEngine

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
        withField(at: offset, as: Persisted<Value>.self) { $0.unmanaged() }
    }
}

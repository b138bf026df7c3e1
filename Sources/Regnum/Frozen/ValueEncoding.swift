internal import FoundationEssentials
internal import RegnumEngine

/// A stored value, encoded according to the type of its property.
struct ValueEncoding: Encodable {
    private let value: Value
    /// The value in its own type; `nil` if it is encoded in its stored form.
    private let typed: (any Encodable)?

    /// A value of a row's property, or an element of its collection. One that isn't valid for its
    /// type fails the read, except that an optional reads as `nil`.
    init(_ value: Value, _ table: FrozenTable, _ row: ObjectKey, _ property: Int) {
        self.value = value
        let declared = table.schema.properties[property]
        guard let type = declared.valueType else {
            typed = nil
            return
        }
        if !type.readsUnknownAsNil, type._decode(_StoredValue(value)) == nil {
            table.fail(
                .undecodable(table.schema.name, declared.name, value.keyText), row, property)
        }
        typed = type.fromEngine(value) as? any Encodable
    }

    func encode(to encoder: any Encoder) throws {
        if let typed { return try typed.encode(to: encoder) }
        // through a container, so that the encoder's strategies apply
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .data: try container.encode(Data.fromEngine(value))
        case .date: try container.encode(Date.fromEngine(value))
        case .uuid: try container.encode(UUID.fromEngine(value))
        case .objectId: try container.encode(ObjectId.fromEngine(value))
        case .decimal: try container.encode(Decimal128.fromEngine(value))
        case .any: try FrozenAnyValue.fromEngine(value).encode(to: encoder)
        }
    }
}

extension PropertySchema {
    /// The type of the property's values, or of its collection's elements, if the stored form
    /// doesn't determine it: enums, `Float` and others.
    var valueType: (any ScalarValue.Type)? {
        switch (shape, kind) {
        case (.scalar, .other): field.valueType as? any ScalarValue.Type
        case (.list(.scalar), _), (.set(.scalar), _), (.map(.scalar), _):
            (field.valueType as? any UnmanagedCollection.Type)?.elementType
                as? any ScalarValue.Type
        default: nil
        }
    }
}

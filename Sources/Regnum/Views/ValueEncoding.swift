internal import FoundationEssentials
internal import RegnumEngine

/// A stored value, encoded according to the type of its property.
struct ValueEncoding: Encodable {
    let value: Value
    /// The type of the value; `nil` if the stored form determines it.
    let type: (any ScalarValue.Type)?

    init(_ value: Value, _ type: (any ScalarValue.Type)?) {
        self.value = value
        self.type = type
    }

    func encode(to encoder: any Encoder) throws {
        // a value that a required property's type can't represent is encoded as stored
        if let type, type.readsUnknownAsNil || type.canDecode(value),
            let typed = type.fromEngine(value) as? any Encodable
        {
            try typed.encode(to: encoder)
            return
        }
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

extension ScalarValue {
    fileprivate static func canDecode(_ value: Value) -> Bool {
        _decode(_StoredValue(value)) != nil
    }
}

extension PropertySchema {
    /// The type of the property's values, or of its collection's elements, if the stored form
    /// doesn't determine it: enums, `Float` and others.
    var valueType: (any ScalarValue.Type)? {
        switch (shape, kind) {
        case (.scalar, .other): field.valueType as? any ScalarValue.Type
        case (.list(.scalar), _), (.set(.scalar), _):
            (field.valueType as? any ListOfValues.Type)?.elementType
        case (.map(.scalar), _):
            (field.valueType as? any ListOfValues.Type)?.elementType
        default: nil
        }
    }
}

/// A collection of values, identified by its type alone.
private protocol ListOfValues {
    static var elementType: any ScalarValue.Type { get }
}

extension List: ListOfValues where Element: ScalarValue {
    fileprivate static var elementType: any ScalarValue.Type { Element.self }
}

extension Map: ListOfValues where Value: ScalarValue {
    fileprivate static var elementType: any ScalarValue.Type { Value.self }
}

extension MutableSet: ListOfValues where Element: ScalarValue {
    fileprivate static var elementType: any ScalarValue.Type { Element.self }
}

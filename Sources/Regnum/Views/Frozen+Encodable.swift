internal import FoundationEssentials
internal import RegnumEngine

extension Frozen: Encodable {
    /// Encodes the stored properties by their names, in order of declaration; nil as null.
    ///
    /// Dates, data and UUIDs go through the encoder's own strategies; an ``ObjectId`` is a string
    /// of 24 hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PropertyKey.self)
        for (index, property) in table.schema.properties.enumerated() {
            let key = PropertyKey(stringValue: property.name)
            switch table.value(row, index) {
            case .null: try container.encodeNil(forKey: key)
            case .bool(let value): try container.encode(value, forKey: key)
            case .int(let value): try container.encode(value, forKey: key)
            case .double(let value): try container.encode(value, forKey: key)
            case .string(let value): try container.encode(value, forKey: key)
            case let value where value.type == .data:
                try container.encode(Data.fromEngine(value), forKey: key)
            case let value where value.type == .date:
                try container.encode(Date.fromEngine(value), forKey: key)
            case let value where value.type == .uuid:
                try container.encode(UUID.fromEngine(value), forKey: key)
            case let value:
                try container.encode(ObjectId.fromEngine(value), forKey: key)
            }
        }
    }
}

/// The name of a property as a coding key.
private struct PropertyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
}

extension RegnumEngine.Value {
    /// The value as a description shows it. Long data is abbreviated.
    var text: String {
        switch self {
        case .null: return "nil"
        case .bool(let value): return "\(value)"
        case .int(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case .string(let value): return "\"\(value)\""
        case .data(let bytes): return "\(bytes.count) bytes"
        case .date: return "\(Date.fromEngine(self))"
        case .uuid: return "\(UUID.fromEngine(self))"
        case .objectId: return "\(ObjectId.fromEngine(self))"
        }
    }
}

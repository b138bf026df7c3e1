// Support for the synthesized `init(from:)` and `encode(to:)` of model classes.
//
//     final class Dog: Object, Codable {
//         @Persisted(primaryKey: true) var name: String
//         @Persisted var age: Int?
//     }

internal import RegnumStore

extension Persisted: Encodable where Value: Encodable {
    /// Encodes the property value of an unmanaged object; `nil` as null.
    ///
    /// If the property's default was never read, encoding creates one for the output alone, so a
    /// generated id or the current date differs from the value that the property gets later. Give
    /// such properties an initial value.
    ///
    /// - Throws: `EncodingError.invalidValue` for a managed object, whose values are in the realm
    ///   and not in the wrapper (encode a frozen copy instead, or implement `encode(to:)`), and for
    ///   objects that link to each other in a cycle or are nested more than 512 levels deep.
    public func encode(to encoder: any Encoder) throws {
        guard _column == .min else {
            throw EncodingError.refusing(
                Value.self, encoder,
                "The property belongs to a managed object, which the synthesized encode(to:) "
                    + "cannot encode: encode object.freeze(), or write encode(to:) yourself.")
        }
        guard Value._isScalar || encoder.codingPath.count <= Limits.maximumEncodedLevel else {
            throw EncodingError.refusing(
                Value.self, encoder,
                "The objects are nested more than \(Limits.maximumEncodedLevel) levels deep, or "
                    + "link to each other in a cycle, which can't be encoded inline.")
        }
        // Use a container, so that the encoder's strategies apply.
        var container = encoder.singleValueContainer()
        try container.encode(_value ?? Value._makeDefault())
    }
}

extension EncodingError {
    static func refusing(
        _ value: Any, _ encoder: any Encoder, _ message: String
    ) -> EncodingError {
        .invalidValue(
            value, Context(codingPath: encoder.codingPath, debugDescription: message))
    }
}

extension Persisted: Decodable where Value: Decodable {
    /// Decodes the property value of an unmanaged object; null as `nil` if the
    /// property is optional.
    public init(from decoder: any Decoder) throws {
        self.init(
            _flags: 0, _value: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension KeyedDecodingContainer {
    /// Decodes an optional property of a model; `nil` if the key is missing or its value is null.
    ///
    /// The key of a non-optional property is required, even if the property has an initial value.
    public func decode<Wrapped>(
        _ type: Persisted<Wrapped?>.Type, forKey key: Key
    ) throws -> Persisted<Wrapped?> where Wrapped: OptionalPersistable & Decodable {
        Persisted(wrappedValue: try decodeIfPresent(Wrapped.self, forKey: key))
    }

    /// Creates the empty inverse of an unmanaged object without decoding anything.
    public func decode<Element>(
        _ type: Persisted<LinkingObjects<Element>>.Type, forKey key: Key
    ) throws -> Persisted<LinkingObjects<Element>> {
        Persisted()
    }
}

extension KeyedEncodingContainer {
    /// Encodes nothing: an inverse is computed from the links of other objects.
    public mutating func encode<Element>(
        _ value: Persisted<LinkingObjects<Element>>, forKey key: Key
    ) throws where Element: Encodable {}
}

extension LinkingObjects: Decodable {
    /// Creates the inverse of an unmanaged object without decoding anything.
    public init(from decoder: any Decoder) throws {
        self.init(originProperty: "")
    }
}

extension List: Decodable where Element: Decodable {
    /// Creates an unmanaged list from an array.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        if let count = container.count { elements.reserveCapacity(count) }
        while !container.isAtEnd { elements.append(try container.decode(Element.self)) }
    }
}

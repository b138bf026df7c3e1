// What the compiler's `init(from:)` and `encode(to:)` of a model class use.
//
//     final class Dog: Object, Codable {
//         @Persisted(primaryKey: true) var name: String
//         @Persisted var age: Int?
//     }

extension Persisted: Encodable where Value: Encodable {
    /// Encodes the value of an unmanaged object's property, nil as null.
    ///
    /// A default that was never read is made for the encoding: an id that is generated, or the current
    /// date, is another one than the object gets later. Give such properties an initial value.
    ///
    /// - Throws: `EncodingError.invalidValue` for a managed object, whose values are in the realm and
    ///   not in the wrapper: freeze it, since frozen values are encodable, or write `encode(to:)`.
    public func encode(to encoder: any Encoder) throws {
        guard _column == .min else {
            throw EncodingError.invalidValue(
                Value.self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "The property belongs to a managed object, which the compiler's encode(to:) "
                        + "cannot encode: encode object.freeze(), or write encode(to:) yourself."))
        }
        // through a container, so that the encoder's strategies apply
        var container = encoder.singleValueContainer()
        try container.encode(_value ?? Value._makeDefault())
    }
}

extension Persisted: Decodable where Value: Decodable {
    /// Decodes the value of an unmanaged object's property; null as nil where it is optional.
    public init(from decoder: any Decoder) throws {
        self.init(
            _flags: 0, _value: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension KeyedDecodingContainer {
    /// Decodes an optional property of a model: nil if the key is missing or its value is null.
    ///
    /// A property that is not optional needs its key, whatever its initial value.
    public func decode<Wrapped>(
        _ type: Persisted<Wrapped?>.Type, forKey key: Key
    ) throws -> Persisted<Wrapped?> where Wrapped: OptionalPersistable & Decodable {
        Persisted(wrappedValue: try decodeIfPresent(Wrapped.self, forKey: key))
    }

    /// Makes the inverse of an unmanaged object, which has no objects: nothing is read.
    public func decode<Element>(
        _ type: Persisted<LinkingObjects<Element>>.Type, forKey key: Key
    ) throws -> Persisted<LinkingObjects<Element>> {
        Persisted()
    }
}

extension KeyedEncodingContainer {
    /// Leaves an inverse out: it follows from the links of other objects, which lead back here.
    public mutating func encode<Element>(
        _ value: Persisted<LinkingObjects<Element>>, forKey key: Key
    ) throws where Element: Encodable {}
}

extension LinkingObjects: Encodable where Element: Encodable {
    /// Encodes the objects that link to this one as an array.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for object in self { try container.encode(object) }
    }
}

extension LinkingObjects: Decodable {
    /// The inverse of an unmanaged object: nothing is read.
    public init(from decoder: any Decoder) throws {
        self.init(originProperty: "")
    }
}

extension List: Encodable where Element: Encodable {
    /// Encodes the elements as an array, nil as null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

extension List: Decodable where Element: Decodable {
    /// An unmanaged list of the elements of an array.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        if let count = container.count { elements.reserveCapacity(count) }
        while !container.isAtEnd { elements.append(try container.decode(Element.self)) }
    }
}

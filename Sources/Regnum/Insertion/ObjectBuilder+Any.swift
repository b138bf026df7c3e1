internal import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension ObjectBuilder {
    /// Returns the content of an `AnyRealmValue` property for a value: an `AnyRealmValue`, or a
    /// plain Swift value, array, dictionary or object.
    mutating func anyContent(
        of value: Any?, _ property: PropertySchema, _ schema: ClassSchema
    ) throws(Realm.Error) -> _PropertyContent.Content {
        try anyValue(of: value, level: 0, property, schema)._content().content
    }

    private mutating func anyValue(
        of value: Any?, level: Int, _ property: PropertySchema, _ schema: ClassSchema
    ) throws(Realm.Error) -> AnyRealmValue {
        guard let given = value, let value = unwrapped(given) else { return .none }
        if level > Limits.maximumAnyLevel {
            throw .anyTooDeep(schema.name, property.name)
        }
        if let object = instance(of: Object.self, value) {
            let object = try self.object(type(of: object), from: object, property, schema)
            guard let object = object as? Object else {
                throw .wrongType(value, schema, property)
            }
            return .object(object)
        }
        if let object = instance(of: AsymmetricObject.self, value) {
            throw .linkToAsymmetric("\(type(of: object))", schema.name, property.name)
        }
        switch value {
        case let value as AnyRealmValue:
            switch value {
            case .object(let object):
                return try anyValue(of: object, level: level, property, schema)
            case .list(let list):
                return try anyList(Array(list), level: level, property, schema)
            case .dictionary(let map):
                return try anyMap(map.anyEntries, level: level, property, schema)
            default:
                try AnyTree.check(value, schema.name, property.name)
                return value
            }
        case let map as any UnmanagedMap:
            return try anyMap(map.anyEntries, level: level, property, schema)
        case let values as [String: Any]:
            return try anyMap(
                values.map { ($0.key, unwrapped($0.value)) }, level: level, property, schema)
        default:
            if let plain = AnyRealmValue(scalar: value) {
                try AnyTree.check(plain, schema.name, property.name)
                return plain
            }
            let isSet = value is any SetAlgebra || value is any MemberCollection
            guard !isSet, instance(of: ObjectBase.self, value) == nil,
                let values = Self.elements(of: value)
            else {
                throw .wrongType(value, schema, property)
            }
            return try anyList(values, level: level, property, schema)
        }
    }

    private mutating func anyList(
        _ values: [Any], level: Int, _ property: PropertySchema, _ schema: ClassSchema
    ) throws(Realm.Error) -> AnyRealmValue {
        .fromArray(
            try values.map { (value) throws(Realm.Error) in
                try anyValue(of: value, level: level + 1, property, schema)
            })
    }

    private mutating func anyMap(
        _ entries: [(key: String, value: Any?)], level: Int, _ property: PropertySchema,
        _ schema: ClassSchema
    ) throws(Realm.Error) -> AnyRealmValue {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in entries {
            map[key] = try anyValue(of: value, level: level + 1, property, schema)
        }
        return .dictionary(map)
    }
}

extension AnyRealmValue {
    /// Creates an `AnyRealmValue` from a plain Swift value; returns `nil` for other values, such
    /// as collections and objects. Enums are stored as their raw values, projected types as
    /// their persisted values.
    init?(scalar value: Any) {
        switch value {
        case let value as Bool: self = .bool(value)
        case let value as Int: self = .int(value)
        case let value as Float: self = .float(value)
        case let value as Double: self = .double(value)
        case let value as String: self = .string(value)
        case let value as Substring: self = .string(String(value))
        case let value as Data: self = .data(value)
        case let value as Date: self = .date(value)
        case let value as ObjectId: self = .objectId(value)
        case let value as Decimal128: self = .decimal128(value)
        case let value as Decimal: self = .decimal128(Decimal128(value))
        case let value as UUID: self = .uuid(value)
        case let value as any BinaryInteger:
            guard let integer = Int(exactly: value) else { return nil }
            self = .int(integer)
        case let value as any ScalarValue where type(of: value)._embeddedClass == nil:
            let type = type(of: value)._storage.scalar
            guard let content = AnyContent(value.engineValue, of: type) else { return nil }
            self.init(plain: content.value)
        default: return nil
        }
    }
}

extension AnyRealmValue: CustomStringConvertible {
    /// The description of the contained value; "nil" for `none`.
    public var description: String {
        switch self {
        case .string(let value): value
        case .data(let value): "\(value.count) bytes"
        case .date(let value): value.printed
        case .object(let value): value.description
        case .dictionary(let value): value.description
        case .list(let value): value.description
        default: plain?.anyContent?.plainValue.map { "\($0)" } ?? "nil"
        }
    }
}

internal import RegnumEngine

/// A set of classes with their properties: those of an open realm (``Realm/schema``), or those that
/// are stored (``Migration/oldSchema``, ``Migration/newSchema``, ``MigrationReport``).
public struct Schema: Sendable, Hashable {
    /// The classes, sorted by name.
    public let objectSchema: [ObjectSchema]
    /// The schema version: for a realm's schema, the version in its configuration; for a stored
    /// schema, the stored version.
    public let version: UInt64

    init(_ classes: [ObjectSchema], version: UInt64) {
        objectSchema = classes.sorted { $0.className < $1.className }
        self.version = version
    }

    /// The class with the given name, or `nil` if there is none.
    ///
    /// - Complexity: O(n) for n classes.
    public subscript(className: String) -> ObjectSchema? {
        objectSchema.first { equalUTF8($0.className, className) }
    }
}

extension Schema: CustomStringConvertible {
    /// The classes with their properties.
    public var description: String {
        "Schema {\n" + objectSchema.map { "\($0)".indented }.joined(separator: "\n") + "\n}"
    }
}

/// The declaration of a model class, or the stored form of a class.
public struct ObjectSchema: Sendable {
    /// The name of the class, without its module.
    public let className: String
    /// The Swift class, or `nil` for a stored class, which the program may lack or declare
    /// differently.
    public let objectClass: ObjectBase.Type?
    /// The stored properties in declaration order, those of superclasses first; for a stored class,
    /// in alphabetical order. Inverses aren't included, but can be looked up with the subscript.
    public let properties: [Property]
    /// The inverses of links.
    private let inverses: [Property]
    /// The primary key, or `nil` if the class has none.
    public let primaryKeyProperty: Property?
    /// Whether objects of the class are owned by other objects.
    public let isEmbedded: Bool
    /// Whether objects of the class are only delivered by drains; see ``AsymmetricObject``.
    public let isAsymmetric: Bool

    init(_ schema: ClassSchema) {
        className = schema.name
        objectClass = schema.type
        properties = schema.properties.filter(\.isStored).map { Property($0) }
        inverses = schema.properties.filter { !$0.isStored }.map { Property($0) }
        primaryKeyProperty = schema.primaryKey.map { Property(schema.properties[$0]) }
        isEmbedded = schema.isEmbedded
        isAsymmetric = schema.isAsymmetric
    }

    /// Creates the schema of a stored class.
    init(_ className: String, stored properties: [Property], _ kind: TableKind) {
        self.className = className
        objectClass = nil
        self.properties = properties.sorted { $0.name < $1.name }
        inverses = []
        primaryKeyProperty = properties.first(where: \.isPrimaryKey)
        isEmbedded = kind == .embedded
        isAsymmetric = kind == .asymmetric
    }

    /// The property with the given Swift name, which may be an inverse; `nil` if there is none.
    ///
    /// - Complexity: O(n) for n properties.
    public subscript(propertyName: String) -> Property? {
        (properties + inverses).first { equalUTF8($0.name, propertyName) }
    }
}

extension ObjectSchema: Hashable {
    /// Returns whether both values are the same declaration of the same class, or the same stored
    /// class.
    public static func == (left: ObjectSchema, right: ObjectSchema) -> Bool {
        left.objectClass == right.objectClass && equalUTF8(left.className, right.className)
            && left.isEmbedded == right.isEmbedded && left.isAsymmetric == right.isAsymmetric
            && left.properties == right.properties && left.inverses == right.inverses
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(StoredText(className)) }
}

extension ObjectSchema: CustomStringConvertible {
    /// The name and the properties, one per line, inverses last.
    public var description: String {
        "\(className)\(isEmbedded ? " (embedded)" : isAsymmetric ? " (asymmetric)" : "") {\n"
            + (properties + inverses).map { "\($0)".indented }.joined(separator: "\n") + "\n}"
    }
}

/// The declaration of a property, or its stored form.
public struct Property: Sendable, Hashable {
    /// The Swift name; for a stored property, the stored name.
    public let name: String
    /// The name under which the property is stored. See ``ObjectBase/propertiesMapping()``.
    public let columnName: String
    /// The stored type of the property; for a collection, that of its elements.
    public let type: PropertyType
    /// Whether the property is a ``List``, or the inverse of a link.
    public internal(set) var isArray: Bool
    /// Whether the property is a ``MutableSet``.
    public internal(set) var isSet: Bool
    /// Whether the property is a ``Map``.
    public internal(set) var isMap: Bool
    /// Whether the property has an index. Always `true` for primary keys, and always `false` for a
    /// stored `AnyRealmValue` property, for which it isn't known.
    public internal(set) var isIndexed: Bool
    /// Whether the property has a full-text index: see ``Query/matchesText(_:)``.
    public internal(set) var isFullTextIndexed: Bool
    /// Whether the property is a list of coordinates with a geospatial index: see ``GeoShape``.
    public internal(set) var isGeoIndexed: Bool
    /// Whether the property is the primary key of its class.
    public internal(set) var isPrimaryKey: Bool
    /// Whether the property can be `nil`; for a collection, whether its elements can.
    /// `AnyRealmValue` properties aren't optional: ``AnyRealmValue/none`` is one of their values.
    public let isOptional: Bool
    /// The class of the objects that the property holds; `nil` for values.
    public let objectClassName: String?
    /// For the inverse of a link, the property of the other class; otherwise `nil`.
    public let originPropertyName: String?
}

extension Property {
    /// Returns whether all attributes are equal, comparing names by their UTF-8 bytes.
    public static func == (left: Property, right: Property) -> Bool {
        left.names == right.names && left.type == right.type && left.isArray == right.isArray
            && left.isSet == right.isSet && left.isMap == right.isMap
            && left.isIndexed == right.isIndexed && left.isPrimaryKey == right.isPrimaryKey
            && left.isOptional == right.isOptional
            && left.isFullTextIndexed == right.isFullTextIndexed
            && left.isGeoIndexed == right.isGeoIndexed
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(names) }

    private var names: [StoredText?] {
        [name, columnName, objectClassName, originPropertyName].map { $0.map { StoredText($0) } }
    }
}

extension Property: CustomStringConvertible {
    /// A one-line description of the property.
    public var description: String {
        var text = "\(name): \(typeName)"
        if let originPropertyName { text += ", of \(originPropertyName)" }
        if isPrimaryKey { text += ", primary key" } else if isIndexed { text += ", indexed" }
        if isFullTextIndexed { text += ", full-text indexed" }
        if isGeoIndexed { text += ", with a geospatial index" }
        return equalUTF8(name, columnName) ? text : "\(text), stored as \"\(columnName)\""
    }

    /// The Swift type of the stored form: `Int`, `String?`, `Dog?` for a link, `List<Dog>`,
    /// `MutableSet<Int>`, `Map<String, Double?>`.
    var typeName: String {
        let element = (objectClassName ?? "\(type)") + (isOptional ? "?" : "")
        return switch (isArray, isSet, isMap) {
        case (true, _, _) where type == .linkingObjects: "LinkingObjects<\(element)>"
        case (true, _, _): "List<\(element)>"
        case (_, true, _): "MutableSet<\(element)>"
        case (_, _, true): "Map<String, \(element)>"
        default: element
        }
    }
}

/// The stored type of a property or of a collection's elements. For projected types and enums, the
/// type that they are stored as.
public enum PropertyType: Sendable, Hashable, CaseIterable {
    /// Integers of any width.
    case int
    case bool
    case float
    case double
    case string
    case data
    case date
    case objectId
    case decimal128
    case uuid
    /// An ``AnyRealmValue``.
    case any
    /// A linked or embedded object.
    case object
    /// The objects that link to the object.
    case linkingObjects
}

extension PropertyType: CustomStringConvertible {
    /// The name of the Swift type.
    public var description: String {
        switch self {
        case .int: "Int"
        case .bool: "Bool"
        case .float: "Float"
        case .double: "Double"
        case .string: "String"
        case .data: "Data"
        case .date: "Date"
        case .objectId: "ObjectId"
        case .decimal128: "Decimal128"
        case .uuid: "UUID"
        case .any: "AnyRealmValue"
        case .object: "Object"
        case .linkingObjects: "LinkingObjects"
        }
    }
}

extension String {
    fileprivate var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
            .joined(separator: "\n")
    }
}

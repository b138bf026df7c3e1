internal import RegnumEngine

/// Classes and their properties: those that a realm knows (``Realm/schema``), or those that are stored
/// (``Migration/oldSchema``, ``Migration/newSchema``, ``MigrationReport``).
public struct Schema: Sendable, Hashable {
    /// The classes, in ascending order of their names.
    public let objectSchema: [ObjectSchema]
    /// The version of the schema: of a realm's that of its configuration, of stored classes the one that
    /// the last program gave them.
    public let version: UInt64

    init(_ classes: [ObjectSchema], version: UInt64) {
        objectSchema = classes.sorted { $0.className < $1.className }
        self.version = version
    }

    /// The class of a name, nil if the realm knows none.
    ///
    /// - Complexity: O(classes).
    public subscript(className: String) -> ObjectSchema? {
        objectSchema.first { $0.className == className }
    }
}

extension Schema: CustomStringConvertible {
    /// The classes one after the other, with their properties.
    public var description: String {
        "Schema {\n" + objectSchema.map { "\($0)".indented }.joined(separator: "\n") + "\n}"
    }
}

/// What a model class declares, or what is stored of a class.
public struct ObjectSchema: Sendable {
    /// The name of the class, without its module.
    public let className: String
    /// The class; nil for a stored one, which the program may not have, or have otherwise.
    public let objectClass: ObjectBase.Type?
    /// The stored properties in the order of their declaration, those of superclasses first; of a
    /// stored class in alphabetical order. Inverses are not among them; the subscript has them.
    public let properties: [Property]
    /// The inverses of links.
    private let inverses: [Property]
    /// The primary key, nil if the class has none.
    public let primaryKeyProperty: Property?
    /// Whether objects of the class belong to others.
    public let isEmbedded: Bool
    /// Whether objects of the class are only passed on: ``AsymmetricObject``.
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

    /// A stored class.
    init(_ className: String, stored properties: [Property], _ kind: TableKind) {
        self.className = className
        objectClass = nil
        self.properties = properties.sorted { $0.name < $1.name }
        inverses = []
        primaryKeyProperty = properties.first(where: \.isPrimaryKey)
        isEmbedded = kind == .embedded
        isAsymmetric = kind == .asymmetric
    }

    /// The property of a name in Swift, also an inverse; nil if there is none.
    ///
    /// - Complexity: O(properties).
    public subscript(propertyName: String) -> Property? {
        (properties + inverses).first { $0.name == propertyName }
    }
}

extension ObjectSchema: Hashable {
    /// Whether both are the same declaration of the same class, or the same stored class.
    public static func == (left: ObjectSchema, right: ObjectSchema) -> Bool {
        left.objectClass == right.objectClass && left.className == right.className
            && left.isEmbedded == right.isEmbedded && left.isAsymmetric == right.isAsymmetric
            && left.properties == right.properties && left.inverses == right.inverses
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(className) }
}

extension ObjectSchema: CustomStringConvertible {
    /// The name and the properties, line by line, inverses last.
    public var description: String {
        "\(className)\(isEmbedded ? " (embedded)" : isAsymmetric ? " (asymmetric)" : "") {\n"
            + (properties + inverses).map { "\($0)".indented }.joined(separator: "\n") + "\n}"
    }
}

/// What a model class declares of one property, or what is stored of it.
public struct Property: Sendable, Hashable {
    /// The name in Swift; of a stored property the name under which it is stored.
    public let name: String
    /// The name under which the property is stored: see ``ObjectBase/propertiesMapping()``.
    public let columnName: String
    /// What the property holds, as it is stored; of a collection what its elements are.
    public let type: PropertyType
    /// Whether the property is a ``List``, or the inverse of a link.
    public let isArray: Bool
    /// Whether the property is a ``MutableSet``.
    public let isSet: Bool
    /// Whether the property is a ``Map``.
    public let isMap: Bool
    /// Whether the property has an index. A primary key has one; of a stored value of any type it
    /// is not known.
    public let isIndexed: Bool
    /// Whether the property is the primary key of its class.
    public let isPrimaryKey: Bool
    /// Whether the property can be nil; of a collection whether its elements can. Values of any
    /// type are not optional: ``AnyRealmValue/none`` is one of them.
    public let isOptional: Bool
    /// The class of the objects that the property holds, nil for values.
    public let objectClassName: String?
    /// Of the inverse of a link the property of the other class, nil for others.
    public let originPropertyName: String?
}

extension Property: CustomStringConvertible {
    /// The property in one line.
    public var description: String {
        var text = "\(name): \(typeName)"
        if let originPropertyName { text += ", of \(originPropertyName)" }
        if isPrimaryKey { text += ", primary key" } else if isIndexed { text += ", indexed" }
        return name == columnName ? text : "\(text), stored as \"\(columnName)\""
    }

    /// The type in Swift, as far as it is stored: `Int`, `String?`, `Dog?` for a link, `List<Dog>`,
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

/// What a property, or the elements of a collection, hold. Projected types and enums are what they are
/// stored as.
public enum PropertyType: Sendable, Hashable, CaseIterable {
    /// Integers of every width.
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
    /// A value of any type.
    case any
    /// A linked object, or an embedded one.
    case object
    /// The objects that link here.
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

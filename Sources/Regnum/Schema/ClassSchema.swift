internal import RegnumEngine
internal import RegnumStore

/// The declaration of a stored property of a model class.
final class PropertySchema: Sendable {
    /// The Swift name.
    let name: String
    /// The stored name: the Swift name, unless the class maps it to a different one.
    let columnName: String
    /// The byte offset of the property wrapper in an instance.
    let offset: Int
    /// The type of the property wrapper, which can read the property of an unmanaged object.
    let field: any PersistedField.Type
    /// The collection type, if the property is a list, set or map.
    let collection: (any UnmanagedCollection.Type)?
    /// The specialized way to read the value of an unmanaged object, for types
    /// known to the library.
    let kind: FieldKind
    let shape: PropertyShape
    let isPrimaryKey: Bool
    let isIndexed: Bool
    let isFullTextIndexed: Bool
    /// Whether a list of coordinates has a geospatial index.
    let isGeoIndexed: Bool
    /// The value of the property in rows stored before the property was added: the initial value if
    /// it is constant (except for `AnyRealmValue`); otherwise null for optionals, the first case
    /// for enums, and the zero value for other types.
    let defaultValue: Value
    /// The property of the origin class that this property is the inverse of.
    let originProperty: String?
    /// Whether the stored value is converted by the program: see ``CustomPersistable``.
    let isProjected: Bool
    /// The delete rule of a link, or of a list, set or map of objects.
    let deleteRule: Realm.DeleteRule
    /// Whether the property owns its objects, which are embedded.
    let isOwning: Bool
    /// The class of the objects in a property of a class that the program doesn't declare: see
    /// `ClassSchema.init(stored:in:)`.
    let storedTarget: String?

    init(
        name: String, columnName: String, offset: Int, field: any PersistedField.Type,
        kind: FieldKind, shape: PropertyShape, defaultValue: Value,
        declaration: PropertyDeclaration, storedTarget: String? = nil
    ) {
        self.name = name
        self.storedTarget = storedTarget
        self.columnName = columnName
        self.offset = offset
        self.field = field
        collection = field.valueType as? any UnmanagedCollection.Type
        self.kind = kind
        self.shape = shape
        self.defaultValue = defaultValue
        isPrimaryKey = declaration.isPrimaryKey
        isIndexed = declaration.isIndexed
        isFullTextIndexed = declaration.isFullTextIndexed
        isGeoIndexed = declaration.isGeoIndexed
        originProperty = declaration.originProperty
        isProjected = field.isProjected
        deleteRule = declaration.deleteRule
        isOwning = shape.targetType is EmbeddedObject.Type
    }

    /// The name for error messages, including the stored name if it differs.
    var nameWithColumn: String {
        equalUTF8(name, columnName) ? name : "\(name) (stored as \"\(columnName)\")"
    }

    /// The type of the column's values. `.int` for links, whose columns hold row keys, and for
    /// properties without a column.
    var scalar: ScalarType {
        if case .scalar(let storage) = shape { storage.scalar } else { .int }
    }

    /// The type that the column's values are stored as.
    var type: ValueType { scalar.valueType }

    /// Whether the property can be `nil`.
    var isOptional: Bool {
        switch shape {
        case .scalar(let storage): storage.isOptional
        case .link: true
        case .list, .set, .map, .linkingObjects: false
        }
    }

    /// Whether the property is stored. Only inverses are not.
    var isStored: Bool {
        if case .linkingObjects = shape { false } else { true }
    }

    /// Whether the property is a column of its class: a value or a link.
    var isColumn: Bool { shape.isColumn }

    /// The engine's definition of the column, for a property that is a value.
    var definition: ColumnDefinition {
        ColumnDefinition(
            name: columnName, scalar: scalar, isOptional: isOptional, isPrimaryKey: isPrimaryKey,
            isIndexed: isIndexed || scalar == .any, isFullTextIndexed: isFullTextIndexed,
            defaultValue: defaultValue)
    }

    /// The stored name of the property that this one is the inverse of.
    var originColumnName: String? {
        guard case .linkingObjects(let type) = shape, let originProperty else { return nil }
        return ClassSchema.of(type).columnName(ofProperty: originProperty)
    }

    /// The name of the list that holds the contents of `AnyRealmValue` collections in this
    /// property. The static variant is for collections in elements.
    var anyItemsName: String { PropertySchema.anyItemsName(of: columnName) }
    static let anyItemsName = anyItemsName(of: "value")

    static func anyItemsName(of property: String) -> String { "\(property)[]" }

    /// The property as it is referenced in a query.
    var reference: ColumnReference {
        var column = ColumnReference(name: columnName, type: type, missing: defaultValue)
        column.isFullTextIndexed = isFullTextIndexed
        return column
    }
}

/// The schema of a model class: its name, its properties, and any problems with its declaration.
///
/// Created once per class and process, when the class is first used.
final class ClassSchema: Sendable {
    /// The unqualified name of the class, which is also the name of its table.
    let name: String
    let type: ObjectBase.Type
    /// The properties in declaration order, inherited ones first.
    let properties: [PropertySchema]
    /// The index of the primary key in `properties`.
    let primaryKey: Int?
    /// Messages describing what cannot be stored, one per mistake. A class with problems cannot
    /// be used in any realm.
    let problems: [String]
    /// Whether instances have no stored properties other than the persisted ones.
    let hasOnlyStoredProperties: Bool
    /// Whether objects of the class are embedded in others.
    let isEmbedded: Bool
    /// Whether objects of the class are created and delivered, but never read.
    let isAsymmetric: Bool
    /// Whether all properties are scalars, so that each object is a single row.
    let hasOnlyValues: Bool
    /// The indices of stored properties that are, or may hold, more than a scalar in a column.
    let compoundProperties: [Int]
    /// The resolved key paths of the class.
    let keyPaths = KeyPathCache()
    /// The resolved key paths of the class that may lead through lists and inverses.
    let observedKeyPaths = KeyPathCache()

    init(
        name: String, type: ObjectBase.Type, properties: [PropertySchema], problems: [String],
        hasOnlyStoredProperties: Bool
    ) {
        self.name = name
        self.type = type
        self.properties = properties
        self.problems = problems
        self.hasOnlyStoredProperties = hasOnlyStoredProperties
        isEmbedded = type is EmbeddedObject.Type
        isAsymmetric = type is AsymmetricObject.Type
        hasOnlyValues = properties.allSatisfy {
            if case .scalar = $0.shape { !$0.shape.isAny } else { false }
        }
        compoundProperties = properties.indices.filter {
            switch properties[$0].shape {
            case .scalar: properties[$0].shape.isAny
            case .link, .list, .map, .set: true
            case .linkingObjects: false
            }
        }
        primaryKey = properties.firstIndex { $0.isPrimaryKey }
    }

    /// Returns the schema of a class.
    ///
    /// - Complexity: O(1) after the first call for the class, which creates two or more instances.
    static func of(_ type: ObjectBase.Type) -> ClassSchema {
        ClassCatalog.shared.schema(of: type)
    }

    /// An error listing all problems, one per line, or `nil` if there are none.
    var declarationError: Realm.Error? {
        guard !problems.isEmpty else { return nil }
        return Realm.Error(
            .invalidInput, problems.joined(separator: "\n"), className: name)
    }

    /// Returns the name of the element class of a list or set of values, or of a map.
    func elementsName(of property: PropertySchema) -> String { "\(name).\(property.columnName)" }

    /// Returns the index of the property whose elements are stored in that hidden class.
    func property(withElements elementsName: String) -> Int? {
        properties.firstIndex { equalUTF8(self.elementsName(of: $0), elementsName) }
    }

    /// Returns the stored name of a property, or `name` itself if there is no such property.
    func columnName(ofProperty name: String) -> String {
        property(named: name).map { properties[$0].columnName } ?? name
    }

    /// Returns the index of the property with the given stored name.
    func property(columnNamed columnName: String) -> Int? {
        properties.firstIndex { equalUTF8($0.columnName, columnName) }
    }

    /// Returns the index of the property with the given name.
    func property(named name: String) -> Int? {
        properties.firstIndex { equalUTF8($0.name, name) }
    }
}

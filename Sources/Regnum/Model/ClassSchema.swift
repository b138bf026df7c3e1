internal import RegnumEngine
internal import RegnumStore

/// A stored property of a model class, as its declaration says.
final class PropertySchema: Sendable {
    /// The name in Swift.
    let name: String
    /// The name in storage: the one in Swift, unless the class maps it to another one.
    let columnName: String
    /// Where the wrapper lies in an instance.
    let offset: Int
    /// The type of the wrapper: knows how to read the property of an unmanaged object.
    let field: any PersistedField.Type
    /// The type of the property, if it is a list, set or map.
    let collection: (any UnmanagedCollection.Type)?
    /// How the value of an unmanaged object is read where the type is known to the library.
    let kind: FieldKind
    let shape: PropertyShape
    let isPrimaryKey: Bool
    let isIndexed: Bool
    /// What rows read that are older than the property. A constant initial value; the zero of the
    /// type, or nil, where the initial value differs between two instances or is not given.
    let defaultValue: Value
    /// The property of the other class whose inverse this is.
    let originProperty: String?
    /// Whether the program converts what is stored: see ``CustomPersistable``.
    let isProjected: Bool
    /// What a deletion means for a link, list, set or map of objects.
    let deleteRule: Realm.DeleteRule
    /// Whether the objects in the property belong to it.
    let isOwning: Bool

    init(
        name: String, columnName: String, offset: Int, field: any PersistedField.Type,
        kind: FieldKind, shape: PropertyShape, defaultValue: Value,
        declaration: PropertyDeclaration
    ) {
        self.name = name
        self.columnName = columnName
        self.offset = offset
        self.field = field
        collection = field.valueType as? any UnmanagedCollection.Type
        self.kind = kind
        self.shape = shape
        self.defaultValue = defaultValue
        isPrimaryKey = declaration.isPrimaryKey
        isIndexed = declaration.isIndexed
        originProperty = declaration.originProperty
        isProjected = field.isProjected
        deleteRule = declaration.deleteRule
        isOwning = shape.targetType is EmbeddedObject.Type
    }

    /// The name, and the one in storage where that differs: for sentences.
    var nameWithColumn: String {
        name == columnName ? name : "\(name) (stored as \"\(columnName)\")"
    }

    /// The type of the column; of a link, that of row keys. Integers for what is no column.
    var type: ValueType {
        if case .scalar(let storage) = shape { storage.valueType } else { .int }
    }

    /// Whether the property can be nil.
    var isOptional: Bool {
        switch shape {
        case .scalar(let storage): storage.isOptional
        case .link: true
        case .list, .linkingObjects: false
        case .map: false
        case .set: false
        }
    }

    /// Whether the property is kept at all: all but inverses.
    var isStored: Bool {
        if case .linkingObjects = shape { false } else { true }
    }

    /// Whether the property is a column of its class: a value or a link.
    var isColumn: Bool {
        switch shape {
        case .scalar, .link: true
        case .list, .linkingObjects: false
        case .map: false
        case .set: false
        }
    }

    /// The column as the engine makes it, for a property that is a value.
    var definition: ColumnDefinition {
        var isFloat = false
        if case .scalar(let storage) = shape { isFloat = storage.isFloat }
        return ColumnDefinition(
            name: columnName, type: type, isOptional: isOptional, isPrimaryKey: isPrimaryKey,
            isIndexed: isIndexed || type == .any, defaultValue: defaultValue,
            meaning: isFloat ? .float : .value)
    }

    /// The name in storage of the property whose inverse this is.
    var originColumnName: String? {
        guard case .linkingObjects(let type) = shape, let originProperty else { return nil }
        return ClassSchema.of(type).columnName(ofProperty: originProperty)
    }

    /// The name of the list for what lies in values of any type: of a property, and of elements.
    var anyItemsName: String { PropertySchema.anyItemsName(of: columnName) }
    static let anyItemsName = anyItemsName(of: "value")

    static func anyItemsName(of property: String) -> String { "\(property)[]" }

    /// The property in a query.
    var reference: ColumnReference {
        ColumnReference(name: columnName, type: type, missing: defaultValue)
    }
}

/// A model class: name, properties, and what is wrong with its declaration.
///
/// One per class and process, made at the class's first use.
final class ClassSchema: Sendable {
    /// The name of the class without its module and the types around it: the name of its table.
    let name: String
    let type: ObjectBase.Type
    /// Superclasses' properties first, in order of declaration.
    let properties: [PropertySchema]
    /// The position of the primary key in `properties`.
    let primaryKey: Int?
    /// Sentences about what cannot be stored, one per mistake. A class with problems joins no
    /// realm.
    let problems: [String]
    /// Whether an instance has no state but its persisted properties.
    let hasOnlyStoredProperties: Bool
    /// Whether objects of the class belong to others.
    let isEmbedded: Bool
    /// Whether objects of the class are created and delivered, and never read.
    let isAsymmetric: Bool
    /// Whether all properties are values, so that an object is a row and nothing else.
    let hasOnlyValues: Bool
    /// The positions of the properties that are stored and are more than a value in a column, or may be.
    let compoundProperties: [Int]
    /// Which property a key path means.
    let keyPaths = KeyPathCache()
    /// The same where key paths lead through lists and inverses.
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

    /// The schema of a class.
    ///
    /// - Complexity: O(1) after the first call for the class, which makes two or more instances.
    static func of(_ type: ObjectBase.Type) -> ClassSchema {
        ClassCatalog.shared.schema(of: type)
    }

    /// The error that tells all problems, one per line; nil if there are none.
    var declarationError: Realm.Error? {
        guard !problems.isEmpty else { return nil }
        return Realm.Error(
            .invalidInput, problems.joined(separator: "\n"), className: name)
    }

    /// The name of the class that holds the elements of a list or set of values.
    func elementsName(of property: PropertySchema) -> String { "\(name).\(property.columnName)" }

    /// The name in storage of the property of a name; the name itself where there is no such property.
    func columnName(ofProperty name: String) -> String {
        property(named: name).map { properties[$0].columnName } ?? name
    }

    /// The position of the property that is stored under a name.
    func property(columnNamed columnName: String) -> Int? {
        properties.firstIndex { $0.columnName == columnName }
    }

    /// The position of the property of that name.
    func property(named name: String) -> Int? {
        properties.firstIndex { $0.name == name }
    }
}

internal import RegnumEngine

extension Realm {
    /// The classes that the realm knows: the listed ones or, without a list, those used so far and
    /// every class that they link to.
    ///
    /// - Complexity: O(classes and their properties).
    public nonisolated var schema: Schema {
        Schema(
            core.knownClasses.map { ObjectSchema($0) }, version: core.configuration.schemaVersion)
    }
}

extension ObjectBase {
    /// The declared schema of the object's class; for a projection, that of its model class.
    public final var objectSchema: ObjectSchema { ObjectSchema(ClassSchema.of(type(of: self))) }

    /// The object's realm, or `nil` if the object is unmanaged or the realm has been released. It
    /// may also be read after the object was deleted or its transaction has ended.
    public final var realm: Realm? { _storedObject._binding?.core?.realm.openRealm }
}

extension Results {
    /// The realm of the results, or `nil` if it has been released.
    public var realm: Realm? { binding.core?.realm.openRealm }

    /// Whether the transaction of the results has ended.
    public var isInvalidated: Bool {
        guard case .ended? = binding.core?.state else { return false }
        return true
    }
}

extension List {
    /// The realm of the list, or `nil` if the list is unmanaged or the realm has been released.
    public var realm: Realm? { managed?.binding.core?.realm.openRealm }
}

extension MutableSet {
    /// The realm of the set, or `nil` if the set is unmanaged or the realm has been released.
    public var realm: Realm? { managed?.binding.core?.realm.openRealm }
}

extension Map {
    /// The realm of the map, or `nil` if the map is unmanaged or the realm has been released.
    public var realm: Realm? { managed?.binding.core?.realm.openRealm }
}

extension LinkingObjects {
    /// The realm of the objects, or `nil` if their target is unmanaged or the realm has been
    /// released.
    public var realm: Realm? { handle?.binding.core?.realm.openRealm }
}

extension Property {
    init(_ property: PropertySchema) {
        name = property.name
        columnName = property.columnName
        isIndexed = property.isIndexed || property.isPrimaryKey
        isPrimaryKey = property.isPrimaryKey
        originPropertyName = property.originProperty
        let element: ElementShape
        switch property.shape {
        case .scalar(let storage): element = .scalar(storage)
        case .link(let type), .linkingObjects(let type): element = .object(type)
        case .list(let shape), .set(let shape), .map(let shape): element = shape
        }
        switch (property.shape, element) {
        case (.linkingObjects, .object(let type)):
            (self.type, isOptional) = (.linkingObjects, false)
            objectClassName = ClassSchema.of(type).name
        case (let shape, .object(let type)):
            self.type = .object
            switch shape {
            case .link, .map: isOptional = true
            default: isOptional = false
            }
            objectClassName = ClassSchema.of(type).name
        case (_, .scalar(let storage)):
            (self.type, isOptional) = (
                storage.scalar.propertyType, storage.isOptional && !storage.isAny
            )
            objectClassName = nil
        }
        switch property.shape {
        case .scalar, .link: (isArray, isSet, isMap) = (false, false, false)
        case .list, .linkingObjects: (isArray, isSet, isMap) = (true, false, false)
        case .set: (isArray, isSet, isMap) = (false, true, false)
        case .map: (isArray, isSet, isMap) = (false, false, true)
        }
    }
}

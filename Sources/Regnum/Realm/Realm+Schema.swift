internal import RegnumEngine

extension Realm {
    /// The classes of the realm: those in `Configuration.objectTypes` or, if that isn't set, those
    /// used so far and all classes that they link to.
    ///
    /// - Complexity: O(n) for n classes and properties.
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
        isFullTextIndexed = property.isFullTextIndexed
        isGeoIndexed = property.isGeoIndexed
        isPrimaryKey = property.isPrimaryKey
        originPropertyName = property.originProperty
        (isArray, isSet, isMap) = (false, false, false)
        let element: ElementShape
        switch property.shape {
        case .scalar(let storage): element = .scalar(storage)
        case .link(let type): element = .object(type)
        case .linkingObjects(let type): (element, isArray) = (.object(type), true)
        case .list(let shape): (element, isArray) = (shape, true)
        case .set(let shape): (element, isSet) = (shape, true)
        case .map(let shape): (element, isMap) = (shape, true)
        }
        switch element {
        case .object(let linked):
            type = property.isStored ? .object : .linkingObjects
            isOptional = !isArray && !isSet
            objectClassName = ClassSchema.of(linked).name
        case .scalar(let storage):
            type = storage.scalar.propertyType
            isOptional = storage.isOptional && !storage.isAny
            objectClassName = nil
        }
    }
}

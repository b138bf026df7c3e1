internal import RegnumEngine
internal import RegnumStore

/// The schemas of all model classes used by this process.
final class ClassCatalog: Sendable {
    static let shared = ClassCatalog()

    private let schemas = Guarded<[ObjectIdentifier: ClassSchema]>([:])

    /// The Swift names of renamed properties, by class name and stored name.
    private let mappedNames = Guarded<[StoredText: [StoredText: String]]>([:])

    /// Returns the Swift name of a property stored under a different name, or `nil`
    /// if it isn't renamed.
    func propertyName(_ className: String, _ columnName: String) -> String? {
        mappedNames.withLock { $0[StoredText(className)]?[StoredText(columnName)] }
    }

    /// Returns the class with the given name, or `nil` if there is none or more than one.
    func type(named name: String) -> ObjectBase.Type? {
        let found = schemas.withLock { $0.values.filter { equalUTF8($0.name, name) } }
        return found.count == 1 ? found[0].type : nil
    }

    /// Returns the schema of a class, creating it on first use. For a projection, returns the
    /// schema of the model it projects.
    ///
    /// The schema is created outside the lock, because that runs the model's initializer, which may
    /// itself use the library. If two tasks create it concurrently, the first one to store it wins.
    func schema(of type: ObjectBase.Type) -> ClassSchema {
        let type = type._storedType
        let identity = ObjectIdentifier(type)
        if let known = schemas.withLock({ $0[identity] }) { return known }
        let made = ClassSchema(reflecting: type)
        return schemas.withLock { schemas in
            if let known = schemas[identity] { return known }
            schemas[identity] = made
            let mapped = made.properties.filter { !equalUTF8($0.name, $0.columnName) }
            if !mapped.isEmpty {
                mappedNames.withLock { names in
                    names[StoredText(made.name), default: [:]].merge(
                        mapped.map { (StoredText($0.columnName), $0.name) },
                        uniquingKeysWith: { $1 })
                }
            }
            return made
        }
    }
}

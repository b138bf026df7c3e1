internal import RegnumStore

/// The schemas of all model classes that this process has used.
final class ClassCatalog: Sendable {
    static let shared = ClassCatalog()

    private let schemas = Guarded<[ObjectIdentifier: ClassSchema]>([:])

    /// By class and stored name the name in Swift, of properties where the two differ.
    private let mappedNames = Guarded<[String: [String: String]]>([:])

    /// The name in Swift of a property that its class stores under another name; nil for others.
    func propertyName(_ className: String, _ columnName: String) -> String? {
        mappedNames.withLock { $0[className]?[columnName] }
    }

    /// The class of that name, if there is one and no other.
    func type(named name: String) -> ObjectBase.Type? {
        let found = schemas.withLock { $0.values.filter { $0.name == name } }
        return found.count == 1 ? found[0].type : nil
    }

    /// The schema of a class, made at the first call; of a projection that of the model behind it.
    ///
    /// It is made outside the lock, because that runs the model's initialiser, which may itself
    /// use the library. Two tasks may both make it; the first one stays.
    func schema(of type: ObjectBase.Type) -> ClassSchema {
        let type = type._storedType
        let identity = ObjectIdentifier(type)
        if let known = schemas.withLock({ $0[identity] }) { return known }
        let made = ClassSchema(reflecting: type)
        return schemas.withLock { schemas in
            if let known = schemas[identity] { return known }
            schemas[identity] = made
            let mapped = made.properties.filter { $0.name != $0.columnName }
            if !mapped.isEmpty {
                mappedNames.withLock { names in
                    names[made.name, default: [:]].merge(
                        mapped.map { ($0.columnName, $0.name) }, uniquingKeysWith: { $1 })
                }
            }
            return made
        }
    }
}

internal import RegnumEngine
internal import RegnumStore

/// The declaration of a projection's property.
struct ProjectedProperty: Sendable {
    /// The Swift name.
    let name: String
    /// The byte offset of the property wrapper in an instance.
    let offset: Int
    let field: any ProjectedField.Type
    /// The stored properties that it exposes or is computed from.
    let paths: [PropertyPath]
    /// The index in its class of the stored property that it exposes unchanged; `nil`
    /// for other properties.
    let storedIndex: Int?

    /// The exposed properties for error messages: `address.city`.
    var shown: String {
        paths.map { $0.properties.map(\.name).joined(separator: ".") }.joined(separator: ", ")
    }
}

/// The schema of a class projection: its properties, and any problems with its declaration.
///
/// Created once per class and process, when the class is first used.
final class ProjectionSchema: Sendable {
    /// The unqualified name of the class.
    let name: String
    let type: ObjectBase.Type
    /// The properties in declaration order, inherited ones first.
    let properties: [ProjectedProperty]
    /// Messages describing what cannot be projected, one per mistake.
    let problems: [String]

    private static let known = Guarded<[ObjectIdentifier: ProjectionSchema]>([:])

    /// Returns the schema of a projection; `nil` for a model.
    ///
    /// - Complexity: O(1) after the first call for the class, which creates an instance and reads
    ///   its properties. O(1) without a lock for a model.
    static func of(_ type: ObjectBase.Type) -> ProjectionSchema? {
        guard type._storedType != type else { return nil }
        let identity = ObjectIdentifier(type)
        if let known = known.withLock({ $0[identity] }) { return known }
        // Created outside the lock because it runs code of the classes. Two
        // tasks may both create it.
        let made = ProjectionSchema(reflecting: type)
        return known.withLock { known in
            if let first = known[identity] { return first }
            known[identity] = made
            return made
        }
    }

    private init(reflecting type: ObjectBase.Type) {
        let name = _typeName(type, qualified: false)
        let model = ClassSchema.of(type).name
        var problems: [String] = []
        var properties: [ProjectedProperty] = []
        let example = type.init()
        for field in storedFields(of: type) {
            guard let wrapper = field.type as? any ProjectedField.Type else { continue }
            // The backing storage of a wrapped property `text` is named `_text`.
            let label = String(field.name.dropFirst())
            let paths = wrapper.paths(in: example, at: field.offset)
            if paths.isEmpty {
                problems.append(
                    "\(name).\(label) does not lead to a stored property of \(model): @Projected "
                        + "accepts @Persisted properties, those of linked and embedded objects, "
                        + "list.projectTo.property, and properties computed from those.")
            }
            let isStored = wrapper.isStoredProperty(in: example, at: field.offset)
            properties.append(
                ProjectedProperty(
                    name: label, offset: field.offset, field: wrapper, paths: paths,
                    storedIndex: isStored ? paths.first?.first : nil))
        }
        if properties.isEmpty { problems.append("\(name) has no @Projected properties.") }
        self.name = name
        self.type = type
        self.properties = properties
        self.problems = problems
    }

    /// An error listing all problems, one per line, or `nil` if there are none.
    var declarationError: Realm.Error? {
        guard !problems.isEmpty else { return nil }
        let bad = properties.first { $0.paths.isEmpty }
        return Realm.Error(
            .invalidInput, problems.joined(separator: "\n"), className: name, property: bad?.name)
    }

    /// Returns the value of a property of a projection of this class.
    func value(_ property: ProjectedProperty, in projection: ObjectBase) -> Any {
        property.field.value(in: projection, at: property.offset)
    }
}

extension RealmCore {
    /// Returns the entry of the model class that a projection exposes; if the projection is
    /// invalid, an entry that cannot be used.
    func projectionEntry(for type: ObjectBase.Type) -> ClassEntry {
        let entry = entry(for: type._storedType)
        guard let problem = ProjectionSchema.of(type)?.declarationError else { return entry }
        return ClassEntry(
            schema: entry.schema, problem: problem, schemaVersion: configuration.schemaVersion,
            writesAddIndexes: writesAddIndexes)
    }
}

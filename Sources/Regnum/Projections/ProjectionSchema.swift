internal import RegnumEngine
internal import RegnumStore

/// A property of a projection, as its declaration says.
struct ProjectedProperty: Sendable {
    /// The name in Swift.
    let name: String
    /// Where the wrapper lies in an instance.
    let offset: Int
    let field: any ProjectedField.Type
    /// The stored properties that it shows or is computed of.
    let paths: [PropertyPath]
    /// The position in its class of the stored property that it shows as it is; nil for others.
    let storedIndex: Int?

    /// What it shows, for sentences: `address.city`.
    var shown: String {
        paths.map { $0.properties.map(\.name).joined(separator: ".") }.joined(separator: ", ")
    }
}

/// A class projection: what its properties show, and what is wrong with its declaration.
///
/// One per class and process, made at the class's first use.
final class ProjectionSchema: Sendable {
    /// The name of the class without its module and the types around it.
    let name: String
    let type: ObjectBase.Type
    /// Superclasses' properties first, in order of declaration.
    let properties: [ProjectedProperty]
    /// Sentences about what cannot be projected, one per mistake.
    let problems: [String]

    private static let known = Guarded<[ObjectIdentifier: ProjectionSchema]>([:])

    /// The schema of a projection; nil for a model.
    ///
    /// - Complexity: O(1) after the first call for the class, which makes an instance and reads its
    ///   properties. O(1) without a lock for a model.
    static func of(_ type: ObjectBase.Type) -> ProjectionSchema? {
        guard type._storedType != type else { return nil }
        let identity = ObjectIdentifier(type)
        if let known = known.withLock({ $0[identity] }) { return known }
        // outside the lock: it runs code of the classes. Two tasks may both make it.
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
            // The storage of a wrapped property `text` is named `_text`.
            let label = String(field.name.dropFirst())
            let paths = wrapper.paths(in: example, at: field.offset)
            if paths.isEmpty {
                problems.append(
                    "\(name).\(label) leads to nothing that \(model) stores: @Projected takes "
                        + "@Persisted properties, those of linked and embedded objects, "
                        + "list.projectTo.property, and what is computed of those.")
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

    /// The error that tells all problems, one per line; nil if there are none.
    var declarationError: Realm.Error? {
        guard !problems.isEmpty else { return nil }
        let bad = properties.first { $0.paths.isEmpty }
        return Realm.Error(
            .invalidInput, problems.joined(separator: "\n"), className: name, property: bad?.name)
    }

    /// The value of a property of a projection of this class.
    func value(_ property: ProjectedProperty, in projection: ObjectBase) -> Any {
        property.field.value(in: projection, at: property.offset)
    }
}

extension RealmCore {
    /// The class that a projection shows; if the projection is declared wrongly one that cannot be used.
    func projectionEntry(for type: ObjectBase.Type) -> ClassEntry {
        let entry = entry(for: type._storedType)
        guard let problem = ProjectionSchema.of(type)?.declarationError else { return entry }
        return ClassEntry(
            schema: entry.schema, problem: problem, schemaVersion: configuration.schemaVersion)
    }
}

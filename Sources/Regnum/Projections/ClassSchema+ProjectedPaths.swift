internal import RegnumEngine

extension ClassSchema {
    /// The stored properties that a key path of the class leads to or, where that computes something,
    /// is computed of; those of the elements for `\.list.projectTo.property`. None if it reads nothing
    /// that is stored.
    ///
    /// What is computed is found by computing it once, of an object whose properties have their
    /// defaults and whose links lead somewhere.
    func projectedPaths<T: ObjectBase>(_ keyPath: PartialKeyPath<T>) -> [PropertyPath] {
        if let path = observedPath(of: keyPath) { return [path] }
        let tracer = ReadTracer()
        let found: Any = tracer.recorder(T.self)[keyPath: keyPath]
        if let collection = unwrapped(found) as? any AnyProjectedCollection,
            let list = tracer.path
        {
            return collection.elementPaths.map {
                PropertyPath(list.properties + $0.properties, first: list.first)
            }
        }
        var paths: [PropertyPath] = []
        for path in tracer.paths {
            if paths.contains(where: { $0.begins(with: path) }) { continue }
            paths.removeAll { path.begins(with: $0) }
            paths.append(path)
        }
        return paths
    }
}

extension PropertyPath {
    /// Whether the first properties of this path are those of the other one, which leads from an object
    /// of the same class.
    func begins(with other: PropertyPath) -> Bool {
        properties.map(\.name).starts(with: other.properties.map(\.name))
    }
}

/// How the change of a property is told by streams of a projection: by the names of its own.
struct ProjectedNames: Sendable {
    private let schema: ProjectionSchema
    /// By position of a path of the filter, the positions in `schema.properties`.
    private let properties: [[Int]]

    /// What streams of a projection tell: a change of anything that it names.
    static func all(of schema: ProjectionSchema, _ root: ClassSchema) -> (
        filter: KeyPathFilter, names: ProjectedNames
    ) {
        var paths: [PropertyPath] = []
        var properties: [[Int]] = []
        for (position, property) in schema.properties.enumerated() {
            paths += property.paths
            properties += property.paths.map { _ in [position] }
        }
        return (root.filter(paths), ProjectedNames(schema, properties))
    }

    /// What streams of a projection tell where they were asked for some paths: those properties that lie
    /// on one.
    init(_ schema: ProjectionSchema, along paths: [PropertyPath]) {
        self.schema = schema
        properties = paths.map { path in
            schema.properties.indices.filter { position in
                schema.properties[position].paths.contains {
                    $0.begins(with: path) || path.begins(with: $0)
                }
            }
        }
    }

    private init(_ schema: ProjectionSchema, _ properties: [[Int]]) {
        self.schema = schema
        self.properties = properties
    }

    /// The names of the properties that are on the paths that were hit, in order of declaration.
    func names(_ paths: [Int]) -> [String] {
        Set(paths.flatMap { properties[$0] }).sorted().map { schema.properties[$0].name }
    }
}

extension ClassSchema {
    /// Paths of the class as a filter of changes.
    fileprivate func filter(_ paths: [PropertyPath]) -> KeyPathFilter {
        KeyPathFilter(
            filter: .paths(paths.map { changePath($0.properties) }),
            firstProperties: paths.map(\.first))
    }

    /// The filter of a stream of objects of the class, or of a projection of them.
    ///
    /// - Parameter depth: for a model; streams of a projection tell what it names.
    func filter(
        of type: ObjectBase.Type, depth: Int
    ) -> (filter: KeyPathFilter, names: ProjectedNames?) {
        guard let projection = ProjectionSchema.of(type) else {
            return (KeyPathFilter(filter: .deep(depth), firstProperties: []), nil)
        }
        return ProjectedNames.all(of: projection, self)
    }

    /// The filter of a stream of objects of the class, or of a projection of them, by key paths.
    ///
    /// - Precondition: the key paths name stored properties.
    func filter<Model: ObjectBase>(
        _ keyPaths: [PartialKeyPath<Model>]
    ) -> (filter: KeyPathFilter, names: ProjectedNames?) {
        guard let projection = ProjectionSchema.of(Model.self) else {
            return (ChangeFilter.paths(keyPaths, of: self), nil)
        }
        let paths = keyPaths.flatMap { keyPath in
            let paths = projectedPaths(keyPath)
            return paths.isEmpty ? [requireObservedPath(keyPath)] : paths
        }
        return (filter(paths), ProjectedNames(projection, along: paths))
    }

    /// The same, of key paths as text, which name properties of the model also for a projection.
    func filter(
        of type: ObjectBase.Type, _ keyPaths: [String]
    ) throws(Realm.Error) -> (filter: KeyPathFilter, names: ProjectedNames?) {
        guard let projection = ProjectionSchema.of(type) else {
            return (try ChangeFilter.paths(keyPaths, of: self), nil)
        }
        var paths: [PropertyPath] = []
        for keyPath in keyPaths {
            let found = try properties(along: keyPath)
            paths.append(PropertyPath(found, first: property(named: found[0].name) ?? 0))
        }
        return (filter(paths), ProjectedNames(projection, along: paths))
    }
}

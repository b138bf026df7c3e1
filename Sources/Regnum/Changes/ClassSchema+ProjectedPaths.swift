internal import RegnumEngine

extension ClassSchema {
    /// Returns the stored properties that a key path of the class leads to or, for a computed
    /// property, is computed from; for `\.list.projectTo.property`, the properties of the elements.
    /// Empty if it reads no stored properties.
    ///
    /// The dependencies of a computed property are found by evaluating it on recorders: objects
    /// whose properties have their defaults, whose links are not nil, and whose collections and
    /// queries have elements (see `ReadTracer`). A query of a collection counts as reading all
    /// properties of its elements.
    func projectedPaths<T: ObjectBase>(_ keyPath: PartialKeyPath<T>) -> [PropertyPath] {
        if let path = observedPath(of: keyPath) { return [path] }
        let tracer = ReadTracer(followsCollections: true)
        // `T` may be a superclass
        let found: Any = tracer.recorder(type as? T.Type ?? T.self)[keyPath: keyPath]
        var elements: [PropertyPath] = []
        if let collection = unwrapped(found) as? any AnyProjectedCollection {
            if let list = collection.list, let path = tracer.path(of: list) {
                elements = collection.elementPaths.map {
                    PropertyPath(properties: path.properties + $0.properties, first: path.first)
                }
                if elements.isEmpty, tracer.isChain { return [] }
            } else {
                _ = collection.anyValues  // records what is read of the objects
            }
        }
        return (tracer.paths + elements).longest
    }
}

extension [PropertyPath] {
    /// The paths from one class that are no beginnings of others, in order, each once.
    ///
    /// - Complexity: O(n log n).
    var longest: [PropertyPath] {
        // sorted, the paths that begin with a path directly follow it; of equal ones the first is
        // the last
        let sorted = indices.sorted { self[$0].precedes(self[$1]) ?? ($0 > $1) }
        var longest: [Int] = []
        for (place, index) in sorted.enumerated() {
            let next = place + 1
            if next < sorted.count, self[sorted[next]].begins(with: self[index]) { continue }
            longest.append(index)
        }
        return longest.sorted().map { self[$0] }
    }
}

extension ReadTracer {
    /// Returns the path to a list of one of the recorders.
    fileprivate func path(of list: _ManagedList) -> PropertyPath? {
        list.binding.tracer === self ? path(of: list.binding.recorder, list.property) : nil
    }
}

extension PropertyPath {
    /// Returns whether this path starts with the properties of `other`, a path from the same class.
    func begins(with other: PropertyPath) -> Bool {
        properties.starts(with: other.properties) { equalUTF8($0.name, $1.name) }
    }

    /// Returns whether this path comes before `other`, a path from the same class, if they are
    /// sorted by the names of their properties; `nil` if they are equal.
    fileprivate func precedes(_ other: PropertyPath) -> Bool? {
        for (a, b) in zip(properties, other.properties) {
            let order = compareUTF8(a.name, b.name)
            if order != 0 { return order < 0 }
        }
        let count = other.properties.count
        return properties.count == count ? nil : properties.count < count
    }
}

/// The mapping from changed stored properties to the property names that a
/// projection's streams report.
struct ProjectedNames: Sendable {
    private let schema: ProjectionSchema
    /// The indices in `schema.properties`, by index of a path in the filter.
    private let properties: [[Int]]

    /// Returns the filter of a projection's streams by default: changes to any
    /// property it depends on.
    static func all(of schema: ProjectionSchema, _ root: ClassSchema) -> KeyPathFilter {
        var paths: [PropertyPath] = []
        var properties: [[Int]] = []
        for (position, property) in schema.properties.enumerated() {
            let found = property.paths.flatMap(\.throughValues)
            paths += found
            properties += found.map { _ in [position] }
        }
        return root.filter(paths, ProjectedNames(schema: schema, properties: properties))
    }

    /// Returns the names of the properties affected by changes to the given paths,
    /// in declaration order.
    func names(_ paths: [Int]) -> [String] {
        Set(paths.flatMap { properties[$0] }).sorted().map { schema.properties[$0].name }
    }
}

extension ProjectedNames {
    /// Creates the mapping for streams that observe the given paths: the properties whose paths
    /// overlap with one of them.
    fileprivate init(_ schema: ProjectionSchema, along paths: [PropertyPath]) {
        self.init(
            schema: schema,
            properties: paths.map { path in
                schema.properties.indices.filter { position in
                    schema.properties[position].paths.contains {
                        $0.begins(with: path) || path.begins(with: $0)
                    }
                }
            })
    }
}

extension ClassSchema {
    /// Returns the filter of a stream of objects of the class, or of projections of them.
    ///
    /// - Parameter depth: The depth for a model. Projections observe the properties they depend on.
    func filter(of type: ObjectBase.Type, depth: Int) -> KeyPathFilter {
        ProjectionSchema.of(type).map { ProjectedNames.all(of: $0, self) }
            ?? KeyPathFilter(filter: .deep(depth))
    }

    /// Returns the filter of a stream of objects of the class, or of projections of them, for key
    /// paths: `\.text`, `\.dog`, `\.dog?.name`, `\.dogs`, `\.owners`. An element of a list, map or
    /// inverse represents all of its elements, whatever its position: `\.dogs[0].name`,
    /// `\.owners[0].boss?.name`.
    ///
    /// Classes along a path need not have joined the realm.
    ///
    /// - Precondition: The key paths refer to stored properties.
    /// - Complexity: O(1) for each key path of a model after its first use.
    func filter<Model: ObjectBase>(_ keyPaths: [PartialKeyPath<Model>]) -> KeyPathFilter {
        let isProjection = ProjectionSchema.of(Model.self) != nil
        let paths = keyPaths.flatMap { keyPath in
            let paths = isProjection ? projectedPaths(keyPath) : []
            return paths.isEmpty ? [requireObservedPath(keyPath)] : paths
        }
        return filter(of: Model.self, along: paths)
    }

    /// Returns the filter for one property, which may be computed from stored ones.
    func filter<Model: ObjectBase>(projecting keyPath: PartialKeyPath<Model>) -> KeyPathFilter {
        let paths = projectedPaths(keyPath)
        return filter(
            of: Model.self, along: paths.isEmpty ? [requireObservedPath(keyPath)] : paths)
    }

    /// Returns the filter for key paths as text: the Swift names of properties separated by dots,
    /// including those of linked objects, elements of lists and linking objects. They refer to
    /// properties of the model even for a projection.
    ///
    /// Throws `.invalidInput`, naming the property and the class, if a class has no such property,
    /// or if a property in the middle of a path isn't a link or collection of objects.
    func filter(
        of type: ObjectBase.Type, _ keyPaths: [String]
    ) throws(Realm.Error) -> KeyPathFilter {
        let paths = try keyPaths.map { (keyPath) throws(Realm.Error) in try path(along: keyPath) }
        return filter(of: type, along: paths)
    }

    private func filter(of type: ObjectBase.Type, along paths: [PropertyPath]) -> KeyPathFilter {
        let paths = paths.flatMap(\.throughValues)
        return filter(
            paths, ProjectionSchema.of(type).map { ProjectedNames($0, along: paths) })
    }
}

internal import RegnumEngine

/// A change filter made from key paths.
struct KeyPathFilter: Hashable, Sendable {
    /// `.paths`: one for each key path, in order. Without any it marks nothing.
    let filter: ChangeFilter
    /// The positions in `ClassSchema.properties` of the first properties of the paths.
    let firstProperties: [Int]
}

extension ChangeFilter {
    /// Returns the filter for key paths of a class: `\.text`, `\.dog`, `\.dog?.name`, `\.dogs`,
    /// `\.owners`. An element of a list, map or inverse represents all of its elements, whatever
    /// its position: `\.dogs[0].name`, `\.owners[0].boss?.name`.
    ///
    /// Classes along a path need not have joined the realm.
    ///
    /// - Precondition: The key paths only use stored properties.
    /// - Complexity: O(1) for each key path after its first use.
    static func paths<Model: ObjectBase>(
        _ keyPaths: [PartialKeyPath<Model>], of schema: ClassSchema
    ) -> KeyPathFilter {
        let paths = keyPaths.map { schema.requireObservedPath($0) }
        return KeyPathFilter(
            filter: .paths(paths.map { schema.changePath($0.properties) }),
            firstProperties: paths.map(\.first))
    }

    /// Returns the filter for key paths as text: the Swift names of properties separated by dots,
    /// including those of linked objects, elements of lists and linking objects.
    ///
    /// Throws `.invalidInput`, naming the property and the class, if a class has no such property,
    /// or if a property in the middle of a path isn't a link or collection of objects.
    static func paths(
        _ keyPaths: [String], of schema: ClassSchema
    ) throws(Realm.Error) -> KeyPathFilter {
        var paths: [ChangePath] = []
        var firstProperties: [Int] = []
        for keyPath in keyPaths {
            let properties = try schema.properties(along: keyPath)
            paths.append(schema.changePath(properties))
            firstProperties.append(schema.property(named: properties[0].name) ?? 0)
        }
        return KeyPathFilter(filter: .paths(paths), firstProperties: firstProperties)
    }
}

extension ClassSchema {
    /// Returns the properties of a key path as text, at least one.
    func properties(along keyPath: String) throws(Realm.Error) -> [PropertySchema] {
        var schema = self
        var found: [PropertySchema] = []
        for name in keyPath.split(separator: ".", omittingEmptySubsequences: false) {
            let name = String(name)
            if let last = found.last {
                guard let target = last.shape.objectType else {
                    throw Realm.Error(
                        .invalidInput,
                        "The key path '\(keyPath)' leads to '\(name)' through the property "
                            + "'\(last.name)' of \(schema.name), which is of type "
                            + "\(last.shape.swiftName) and holds no objects.",
                        className: schema.name, property: last.name)
                }
                schema = ClassSchema.of(target)
            }
            guard let index = schema.property(named: name) else {
                throw Realm.Error(
                    .invalidInput,
                    "The key path '\(keyPath)' of \(self.name) leads to '\(name)', but "
                        + "\(schema.name) has no property of that name.",
                    className: schema.name, property: name)
            }
            found.append(schema.properties[index])
        }
        return found
    }

    /// Returns the path through properties, each of the class that the previous one refers to.
    ///
    /// - Precondition: There is at least one, and all but the last hold objects.
    func changePath(_ properties: [PropertySchema]) -> ChangePath {
        var schema = self
        var hops: [Hop] = []
        for property in properties.dropLast() {
            hops += schema.hopsToObjects(through: property)
            if let target = property.shape.objectType { schema = ClassSchema.of(target) }
        }
        guard let last = properties.last else { preconditionFailure("A key path is empty.") }
        if let (origin, map) = last.originMap {
            // changes of the map are insertions and deletions of its entries
            hops += schema.hops(through: last).dropLast()
            return ChangePath(
                hops: hops, last: .backlinks(name: map.columnName, target: origin.name))
        }
        if case .linkingObjects(let origin) = last.shape {
            return ChangePath(
                hops: hops,
                last: .backlinks(
                    name: last.originColumnName ?? "", target: ClassSchema.of(origin).name))
        }
        return ChangePath(hops: hops, last: .property(last.columnName))
    }
}

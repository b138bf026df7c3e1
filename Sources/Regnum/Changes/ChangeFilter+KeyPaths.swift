internal import RegnumEngine

/// The paths that a stream follows, and the property names that it reports.
struct KeyPathFilter: Sendable {
    /// For key paths `.paths`: one for each, in order. Without any it marks nothing.
    var filter: ChangeFilter
    /// The positions in `ClassSchema.properties` of the first properties of the paths.
    var firstProperties: [Int] = []
    /// The names reported for the paths; `nil` for those of their first properties.
    var names: ProjectedNames?
    /// The classes of the objects in the last properties of the paths.
    var ends: Set<StoredText> = []
}

extension ChangeFilter {
    /// Returns the filter for the values of a list or map that are stored as embedded objects of a
    /// class: everything in these objects counts, but nothing in objects that they link to.
    static func values(of schema: ClassSchema) -> ChangeFilter {
        .paths(schema.embeddedPaths().map { schema.changePath($0) })
    }
}

extension PropertyPath {
    /// This path and, if it ends at values of a projected type that are stored as embedded objects,
    /// the paths to everything in these objects.
    var throughValues: [PropertyPath] {
        guard let last = properties.last, last.isProjected, let type = last.shape.targetType else {
            return [self]
        }
        return [self]
            + ClassSchema.of(type).embeddedPaths().map {
                PropertyPath(properties: properties + $0, first: first)
            }
    }
}

extension ClassSchema {
    /// Returns the change filter for paths of the class.
    func filter(_ paths: [PropertyPath], _ names: ProjectedNames?) -> KeyPathFilter {
        let ends = paths.compactMap { $0.properties.last?.shape.objectType }
        return KeyPathFilter(
            filter: .paths(paths.map { changePath($0.properties) }),
            firstProperties: paths.map(\.first), names: names,
            ends: Set(ends.map { StoredText(ClassSchema.of($0).name) }))
    }

    /// Returns the paths to all stored properties of an embedded class and of the embedded objects
    /// in it.
    ///
    /// - Parameter outer: The classes along the way, so that the recursion ends at a class that
    ///   contains itself, which is rejected when the class is used.
    fileprivate func embeddedPaths(in outer: [ClassSchema] = []) -> [[PropertySchema]] {
        if outer.contains(where: { $0 === self }) { return [] }
        var paths: [[PropertySchema]] = []
        for property in properties where property.isStored {
            paths.append([property])
            guard property.isOwning, let type = property.shape.targetType else { continue }
            paths += ClassSchema.of(type).embeddedPaths(in: outer + [self]).map { [property] + $0 }
        }
        return paths
    }

    /// Returns the path of a key path as text.
    func path(along keyPath: String) throws(Realm.Error) -> PropertyPath {
        var schema = self
        var found: [PropertySchema] = []
        var first = 0
        // By bytes, because a dot and the start of a name can be one `Character`.
        let dot = UInt8(ascii: ".")
        for part in keyPath.utf8.split(separator: dot, omittingEmptySubsequences: false) {
            let name = String(Substring(part))
            if let last = found.last {
                guard let target = last.shape.objectType else {
                    throw Realm.Error(
                        .invalidInput,
                        "The key path \"\(keyPath)\" of \(self.name) is invalid: "
                            + "\(schema.name).\(last.name) is of type \(last.shape.swiftName) and "
                            + "doesn't hold objects.",
                        className: schema.name, property: last.name)
                }
                schema = ClassSchema.of(target)
            }
            guard let index = schema.property(named: name) else {
                throw Realm.Error(
                    .invalidInput,
                    "The key path \"\(keyPath)\" of \(self.name) is invalid: \(schema.name) has no "
                        + "property \"\(name)\".",
                    className: schema.name, property: name)
            }
            if found.isEmpty { first = index }
            found.append(schema.properties[index])
        }
        return PropertyPath(properties: found, first: first)
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
                hops: hops,
                last: .backlinks(
                    name: StoredText(map.columnName), target: StoredText(origin.name)))
        }
        if case .linkingObjects(let origin) = last.shape {
            return ChangePath(
                hops: hops,
                last: .backlinks(
                    name: StoredText(last.originColumnName ?? ""),
                    target: StoredText(ClassSchema.of(origin).name)))
        }
        return ChangePath(hops: hops, last: .property(StoredText(last.columnName)))
    }
}

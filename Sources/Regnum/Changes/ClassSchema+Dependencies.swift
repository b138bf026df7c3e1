internal import RegnumEngine

extension ClassSchema {
    /// Returns the classes, by their declarations, whose changes can make an object of this class
    /// count as modified by a filter: those that it reaches through links, and the hidden classes
    /// of lists of values. Includes the class itself only if it can reach itself.
    ///
    /// - Complexity: O(classes and their properties).
    func dependencies(_ filter: ChangeFilter) -> Set<StoredText> {
        var names: Set<StoredText> = []
        guard case .deep(let depth) = filter else {
            if case .paths(let paths) = filter {
                for path in paths { names.formUnion(elementsNames(path)) }
            }
            return names
        }
        var level: [ClassSchema] = [self]
        var known: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        for distance in 0...depth {
            var next: [ClassSchema] = []
            for schema in level {
                for property in schema.properties {
                    switch property.shape {
                    case .list(.scalar), .map:
                        names.insert(StoredText(schema.elementsName(of: property)))
                    default: break
                    }
                    guard distance < depth, let type = property.shape.targetType else { continue }
                    let target = ClassSchema.of(type)
                    names.insert(StoredText(target.name))
                    if known.insert(ObjectIdentifier(target)).inserted { next.append(target) }
                }
            }
            if next.isEmpty { break }
            level = next
        }
        return names
    }

    /// Returns the hidden class of the list of values, or map, that a path may end at. It is
    /// derived from the name alone, so it is also returned for sets, for `AnyRealmValue` properties
    /// and for properties that have none.
    private func elementsNames(_ path: ChangePath) -> Set<StoredText> {
        guard case .property(let property) = path.last else { return [] }
        return [StoredText("\(path.hops.last?.target ?? name).\(property.wrappedValue)")]
    }
}

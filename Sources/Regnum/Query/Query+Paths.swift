internal import RegnumEngine

// Members of an expression: properties of an object, of a linked object, and of the objects of a
// list or inverse.

/// A collection property in a query: ``List``, ``MutableSet`` and ``LinkingObjects``.
///
/// Don't conform your own types to this protocol.
public protocol QueryCollection: Persistable {
    associatedtype Element
}

extension List: QueryCollection {}

extension Query {
    /// A property of the object.
    ///
    /// - Precondition: The key path refers to a stored property. Computed properties can't be
    ///   queried.
    public subscript<Property: Persistable>(
        dynamicMember keyPath: KeyPath<Value, Property>
    ) -> Query<Property> where Value: ObjectBase {
        member(keyPath)
    }

    /// A property of the linked object; `nil` if there is no object.
    ///
    /// - Precondition: The key path refers to a stored property.
    public subscript<Target: ObjectBase, Property: Persistable>(
        dynamicMember keyPath: KeyPath<Target, Property>
    ) -> Query<Property> where Value == Target? {
        member(keyPath)
    }

    /// A property of the collection's objects. A condition on it holds if it holds for at least one
    /// of the objects.
    ///
    /// - Precondition: The key path refers to a stored property.
    public subscript<Property: Persistable>(
        dynamicMember keyPath: KeyPath<Value.Element, Property>
    ) -> Query<Property> where Value: QueryCollection, Value.Element: ObjectBase {
        member(keyPath)
    }

    private func member<Target: ObjectBase, Property>(
        _ keyPath: KeyPath<Target, Property>
    ) -> Query<Property> {
        var hops = hops
        var owner = hops.isEmpty ? scope.rootSchema(Target.self) : ClassSchema.of(Target.self)
        let property: PropertySchema
        if let found = owner.property(of: keyPath) {
            property = found
        } else {
            // a computed property that returns the property of a linked object
            let path = owner.requirePath(keyPath).properties
            property = path[path.count - 1]
            for link in path.dropLast() {
                hops += owner.hops(through: link)
                if let target = link.shape.objectType { owner = ClassSchema.of(target) }
            }
        }
        guard case .scalar = property.shape else {
            return with(.objects(hops + owner.hops(through: property)))
        }
        return with(.column(splitting: hops, property.reference))
    }

    /// The path to the object or objects that the expression represents. Reports an error for the
    /// entry of a map.
    var hops: [Hop] {
        guard case .objects(let hops) = node else {
            scope.refuse(
                "A property of a map's entry can't be queried: an entry can only be compared with "
                    + "a value. Use values, or objects() for a map of objects.")
            return []
        }
        return hops
    }
}

extension Query.Node {
    /// A property of the rows at the end of a path, splitting off the links at the path's end.
    static func column(splitting hops: [Hop], _ column: ColumnReference) -> Query.Node {
        let (several, links) = hops.splitAtLastCollection
        var column = column
        column.hops = links + column.hops
        return .column(several, column)
    }
}

extension [Hop] {
    /// The hops through the last one that leads to several rows, and the links after it.
    var splitAtLastCollection: (several: [Hop], links: [Hop]) {
        let end = lastIndex { $0.kind != .link }.map { $0 + 1 } ?? 0
        return (Array(self[..<end]), Array(self[end...]))
    }

    /// Splits hops that end with one leading to several rows: the hops through the previous one
    /// that does, and those after that.
    var splitBeforeLastCollection: (outer: [Hop], inner: [Hop]) {
        let last = leadsFromEntries ? 2 : 1
        let (outer, links) = Array(dropLast(last)).splitAtLastCollection
        return (outer, links + suffix(last))
    }

    /// Whether the last two hops act as one: from an object to the map entries that contain it, and
    /// from these to their owners.
    private var leadsFromEntries: Bool {
        guard let last, last.kind == .backlinks, count > 1 else { return false }
        let entries = self[count - 2]
        return entries.kind == .backlinks
            && equalUTF8(entries.target, "\(last.target).\(last.name)")
    }

    /// For hops that end with a link: the path through the last collection, and the link as a
    /// column of row keys.
    var linkColumn: (hops: [Hop], column: ColumnReference) {
        let (several, links) = Array(dropLast()).splitAtLastCollection
        let name = last?.name ?? ""
        return (several, ColumnReference(name: name, type: .int, missing: .null, hops: links))
    }

    /// The hops through the first one that leads to several rows; `nil` if there is none.
    var firstCollection: [Hop]? {
        firstIndex { $0.kind != .link }.map { Array(self[...$0]) }
    }
}

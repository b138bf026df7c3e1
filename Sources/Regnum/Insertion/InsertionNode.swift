internal import RegnumEngine

extension GraphInsertion {
    /// An unmanaged object that is being stored, and its content.
    final class Node {
        let object: ObjectBase
        let binding: ClassBinding
        /// The object's row, once it has one.
        var row: ObjectKey?
        /// Whether the row already existed and is to be updated.
        var exists: Bool
        /// Whether an earlier object has the same key, or the object is embedded in one for which
        /// that is the case. It's checked with the others and stored after them.
        var isDeferred = false
        /// The objects of links and lists that must be stored as well, with the rows of embedded
        /// objects that already exist.
        var targets: [(object: ObjectBase, row: ObjectKey?)] = []
        var lists:
            [(property: Int, list: any UnmanagedList, contents: [_PropertyContent.Content])] =
                []
        var maps: [(property: Int, map: any UnmanagedMap, entries: [MapEntry])] = []
        /// The `AnyRealmValue` properties: for new rows only values that need more than a column,
        /// for updated rows all of them.
        var anyValues: [(property: Int, tree: AnyTree)] = []
        /// The persisted objects of properties of projected types, cached because each access would
        /// create another one.
        var made: [Int: ObjectBase] = [:]

        /// Creates a node.
        ///
        /// - Parameter row: The row to update; `nil` for a new one.
        init(_ object: ObjectBase, _ binding: ClassBinding, _ row: ObjectKey?) {
            self.object = object
            self.binding = binding
            self.row = row
            exists = row != nil
        }
    }
}

/// The properties of an object that were given a value.
struct SuppliedProperties {
    /// Keeps the object alive, so that its address, which identifies it, isn't reused: an embedded
    /// object that was converted to a projected value isn't part of the graph.
    let object: ObjectBase
    var given: Set<Int> = []
    /// The sets and maps that were given as `nil`. An update empties them.
    var emptied: Set<Int> = []
}

extension PropertySchema {
    /// Returns the content of a link or list of an unmanaged object. Plain values aren't read.
    func content(of object: ObjectBase) -> _PropertyContent.Content {
        switch shape {
        case .scalar where shape.isAny: reference(of: object) ?? .value(.null)
        case .scalar, .linkingObjects: .linkingObjects
        case .link, .list, .map, .set: reference(of: object) ?? .linkingObjects
        }
    }

    private func reference(of object: ObjectBase) -> _PropertyContent.Content? {
        if let collection {
            return object.fieldCollection(at: offset).map { collection.content(of: $0) }
        }
        if case .link = shape, !isProjected {
            return object.fieldLink(at: offset).map { .link($0) }
        }
        return field.reference(in: object, at: offset, isProjected: isProjected)
    }
}

internal import RegnumEngine

extension GraphInsertion {
    /// An unmanaged object that is stored, and what it holds.
    final class Node {
        let object: ObjectBase
        let binding: ClassBinding
        /// Its row, once there is one.
        var row: ObjectKey?
        /// Whether the row was there before, to be updated.
        var exists: Bool
        /// The objects of links and lists that have to be stored with it, and the rows of embedded
        /// ones that are there already.
        var targets: [(object: ObjectBase, row: ObjectKey?)] = []
        var lists:
            [(property: Int, list: any UnmanagedList, contents: [_PropertyContent.Content])] =
                []
        var maps: [(property: Int, map: any UnmanagedMap, entries: [MapEntry])] = []
        /// Values of any type: of new rows those that are more than a value in a column, of rows that
        /// are updated all.
        var anyValues: [(property: Int, tree: AnyTree)] = []
        /// What properties of projected types are stored as: it is made anew whenever it is asked for.
        var made: [Int: ObjectBase] = [:]

        /// - Parameter row: the row that is updated, nil for a new one.
        init(_ object: ObjectBase, _ binding: ClassBinding, _ row: ObjectKey?) {
            self.object = object
            self.binding = binding
            self.row = row
            exists = row != nil
        }
    }
}

extension PropertySchema {
    /// What an unmanaged object holds in a link or list; values are not looked at.
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

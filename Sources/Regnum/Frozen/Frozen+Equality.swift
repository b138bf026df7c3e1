internal import RegnumEngine

extension Frozen: Hashable {
    /// Returns whether both objects are the same row of the same realm with the same content.
    ///
    /// The content consists of the row's values, the objects that its links and lists refer to, the
    /// values of its lists, and embedded objects with their content. It doesn't include the
    /// properties of linked objects or inverses.
    ///
    /// - Complexity: O(1) for values of one snapshot; otherwise O(log n), and O(length) for lists.
    public static func == (left: Frozen, right: Frozen) -> Bool {
        left.row == right.row && left.table.isSameClass(as: right.table)
            && left.table.hasSameContent(left.row, right.table)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(row)
        hasher.combine(table.contentVersion(row))
    }
}

extension FrozenTable {
    /// Returns whether both are the same class of the same realm, in any version. A class that was
    /// dropped and declared again is another one.
    func isSameClass(as other: FrozenTable) -> Bool {
        snapshot.realm === other.snapshot.realm && schema === other.schema
            && mapping.table?.key == other.mapping.table?.key
    }

    /// Returns whether a row has the same content here and in another snapshot of the same realm.
    func hasSameContent(_ row: ObjectKey, _ other: FrozenTable) -> Bool {
        if self === other || snapshot.root === other.snapshot.root { return true }
        // the content version covers values and the targets of links
        guard contentVersion(row) == other.contentVersion(row) else { return false }
        if schema.hasOnlyValues { return true }
        return schema.properties.indices.allSatisfy { hasSame($0, row, other) }
    }

    private func hasSame(_ property: Int, _ row: ObjectKey, _ other: FrozenTable) -> Bool {
        switch schema.properties[property].shape {
        case .scalar, .linkingObjects:
            return true
        case .link(let type):
            guard schema.properties[property].isOwning, let target = link(row, property) else {
                return true
            }
            return self.other(type).hasSameContent(target, other.other(type))
        case .list, .set, .map:
            guard hasSameList(property, row, other) else { return false }
            guard schema.properties[property].isOwning,
                let type = schema.properties[property].shape.objectType
            else { return true }
            let (mine, theirs) = (self.other(type), other.other(type))
            guard case .map = schema.properties[property].shape else {
                return list(row, property).allSatisfy { mine.hasSameContent($0, theirs) }
            }
            return map(row, property).allSatisfy { entry in
                entry.value.linkedObject.map { mine.hasSameContent($0, theirs) } ?? true
            }
        }
    }

    /// Returns whether a list of a row has the same elements here and in another snapshot of the
    /// realm and, if they are values, none of them was set in between.
    func hasSameList(_ property: Int, _ row: ObjectKey, _ other: FrozenTable) -> Bool {
        let rows = list(row, property)
        guard rows == other.list(row, property) else { return false }
        switch schema.properties[property].shape {
        case .list(.object), .set(.object): return true
        default: break
        }
        guard let mine = elements(property), let theirs = other.elements(property)
        else { return true }
        return rows.allSatisfy { element in
            checked { snapshot.root.contentVersion(mine, element) }
                == other.checked { other.snapshot.root.contentVersion(theirs, element) }
        }
    }
}

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
        left.row == right.row && left.table.snapshot.realm === right.table.snapshot.realm
            && left.table.schema === right.table.schema
            && left.table.hasSameContent(left.row, right.table)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(row)
        hasher.combine(table.contentVersion(row))
    }
}

extension FrozenTable {
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
        case .map(let element):
            guard hasSameList(property, row, other) else { return false }
            guard case .object(let type) = element, schema.properties[property].isOwning else {
                return true
            }
            let (mine, theirs) = (self.other(type), other.other(type))
            return map(row, property).allSatisfy { entry in
                guard let target = entry.value.linkedObject else { return true }
                return mine.hasSameContent(target, theirs)
            }
        case .set:
            return hasSameList(property, row, other)
        case .list(let element):
            guard hasSameList(property, row, other) else { return false }
            guard case .object(let type) = element, schema.properties[property].isOwning else {
                return true
            }
            let (mine, theirs) = (self.other(type), other.other(type))
            return list(row, property).allSatisfy { mine.hasSameContent($0, theirs) }
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

internal import Regnum
internal import RegnumEngine
internal import RegnumStore

// Values of any type: null, or an object with one member, whose key is the kind of value.

extension Importer {
    /// Returns the value that a node represents. Linked objects get rows.
    ///
    /// - Parameter level: The number of lists and dictionaries that contain the value.
    mutating func anyTree(
        _ node: JSONNode, level: Int = 0, isInSet: Bool = false,
        _ property: ImportTable.Property
    ) throws(StoreError) -> AnyTree {
        if case .null = node { return .value(.null) }
        guard case .object(let members) = node, members.count == 1 else {
            throw property.problem(
                "cannot hold \(node.shown): expected null or an object with one member, the type "
                    + "and value, such as {\"int\": 5}")
        }
        let (kind, value) = (members[0].key, members[0].value)
        switch (kind, value) {
        case ("list", .array(let nodes)) where !isInSet:
            try check(level: level + 1, property)
            return .list(
                try nodes.map { (node) throws(StoreError) in
                    try anyTree(node, level: level + 1, property)
                })
        case ("dictionary", .object(var entries)) where !isInSet:
            try check(level: level + 1, property)
            entries.sort { StoredText.precedes($0.key, $1.key) }
            var trees: [(key: String, tree: AnyTree)] = []
            for (index, entry) in entries.enumerated() {
                try check(key: entry.key, after: index > 0 ? entries[index - 1].key : nil, property)
                let tree = try anyTree(entry.value, level: level + 1, property)
                trees.append((entry.key, tree))
            }
            return .dictionary(trees)
        case ("object", .object(let parts)):
            return .value(try anyLink(parts, property).value)
        default: break
        }
        guard let stored = plainContent(kind, value) else {
            throw property.problem(
                Self.kinds.contains(kind)
                    ? "cannot hold \(value.shown) as \"\(kind)\""
                    : "cannot hold a value of the unknown type \"\(kind.shortened)\"")
        }
        if case .date(let seconds) = stored, seconds.isNaN {
            throw property.problem("cannot hold a date that is NaN")
        }
        return .value(stored.value)
    }

    private func check(level: Int, _ property: ImportTable.Property) throws(StoreError) {
        if level <= Limits.maximumAnyLevel { return }
        throw property.problem(
            "has lists or dictionaries nested more than \(Limits.maximumAnyLevel) levels deep")
    }

    /// Throws if `key` isn't valid for a map, or if it repeats the previous key.
    func check(
        key: String, after last: String?, _ property: ImportTable.Property
    ) throws(StoreError) {
        if let last, StoredText(last) == StoredText(key) {
            throw property.problem("has the key \"\(key.shortened)\" twice", .invalidInput)
        }
        if let error = Realm.Error.mapKey(key, property.className, property.name) {
            throw StoreError(
                .invalidValue, error.message, className: error.className, property: error.property)
        }
    }

    private mutating func anyLink(
        _ parts: [JSONNode.Member], _ property: ImportTable.Property
    ) throws(StoreError) -> AnyContent {
        guard parts.count == 2, parts[0].key == "class", case .string(let name) = parts[0].value,
            parts[1].key == "key"
        else {
            throw property.problem(
                "must have the \"class\" and \"key\" of the object that it links to")
        }
        let table: ImportTable
        do throws(Realm.Error) {
            table = try self.table(named: name)
        } catch {
            throw property.problem("links to \(name.shortened): \(error.message)", .schemaMismatch)
        }
        guard table.schema.kind == .object else {
            throw property.problem(
                "cannot link to objects of \(name), which are embedded or asymmetric")
        }
        return .link(
            table.key, try target(parts[1].value, table, of: property))
    }

    /// The types of values, as they are named in the text.
    private static let kinds = Set(
        ScalarType.allCases.map(\.rawValue) + ["list", "dictionary", "object"])

    private func plainContent(_ kind: String, _ node: JSONNode) -> AnyContent? {
        guard let type = ScalarType(rawValue: kind), let value = node.value(of: type) else {
            return nil
        }
        return AnyContent(value, of: type)
    }
}

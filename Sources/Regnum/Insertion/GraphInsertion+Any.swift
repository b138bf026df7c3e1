internal import RegnumEngine
internal import RegnumStore

// `AnyRealmValue` properties of the objects that are stored.

extension AnyTree {
    /// The objects in the value that must be stored with it.
    var unmanagedTargets: [(object: ObjectBase, row: ObjectKey?)] {
        objects.filter { !$0.isManaged }.map { ($0, nil) }
    }
}

extension GraphInsertion {
    /// A writer for values whose objects have rows.
    var anyWriter: AnyWriter {
        AnyWriter(core: core, transaction: transaction) { self.row(of: $0) }
    }

    /// Returns a checked tree of a value.
    ///
    /// Throws the errors of `AnyTree`, and `.invalidValue` for an object in a value of an
    /// asymmetric object or of its embedded objects.
    func checked(
        _ value: AnyRealmValue, _ schema: ClassSchema, _ property: PropertySchema
    ) throws(Realm.Error) -> AnyTree {
        let tree = try AnyTree(value, core, schema, property)
        // the root comes first, and only embedded objects are stored with an asymmetric one
        if (nodes.first?.binding.schema ?? schema).isAsymmetric, let object = tree.objects.first {
            throw .linkOfAsymmetric(withArticle(type(of: object)), schema.name, property.name)
        }
        return tree
    }

    /// Returns the contents of a collection, with `AnyRealmValue` elements checked.
    func checked(
        _ contents: [_PropertyContent.Content], _ schema: ClassSchema, _ property: PropertySchema
    ) throws(Realm.Error) -> [_PropertyContent.Content] {
        guard property.shape.hasAnyValues else { return contents }
        return try contents.map { (content) throws(Realm.Error) in
            try checked(content, schema, property)
        }
    }

    func checked(
        _ entries: [MapEntry], _ schema: ClassSchema, _ property: PropertySchema
    ) throws(Realm.Error) -> [MapEntry] {
        guard property.shape.hasAnyValues else { return entries }
        return try entries.map { (entry) throws(Realm.Error) in
            MapEntry(key: entry.key, content: try checked(entry.content, schema, property))
        }
    }

    private func checked(
        _ content: _PropertyContent.Content, _ schema: ClassSchema, _ property: PropertySchema
    ) throws(Realm.Error) -> _PropertyContent.Content {
        guard case .any(let value) = content else { return content }
        return .tree(try checked(value, schema, property))
    }

    /// Updates the `AnyRealmValue` properties of a row. With `.modified`, values are written where
    /// they differ, and dictionaries keep entries that weren't given; with `.all`, every value is
    /// written.
    func updateAnyValues(of node: Node, _ row: ObjectKey) throws(StoreError) {
        for (property, tree) in node.anyValues where isSupplied(property, node) {
            guard let list = node.binding.place.lists[property],
                let column = node.binding.mapping?.columns[property]
            else { continue }
            let table = node.binding.place.tableKey
            if policy == .all {
                try anyWriter.set(tree, table, row, ColumnKey(column), list)
            } else {
                try anyWriter.update(tree, table, row, ColumnKey(column), list)
            }
        }
    }
}

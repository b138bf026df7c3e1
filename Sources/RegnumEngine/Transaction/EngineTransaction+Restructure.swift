package import RegnumStore

// Schema changes that only migrations make. Commit records don't describe them: a transaction that
// makes one is committed in bulk, as a checkpoint.
//
// Columns, lists and classes keep their keys. Dropped ones are emptied and remain under a reserved
// name (`DroppedName`). A dropped column costs one byte for each existing row.

extension EngineTransaction {
    /// Renames a column.
    ///
    /// Throws `invalidInput` for a name that is empty, too long or taken.
    package func rename(
        _ table: TableKey, _ column: ColumnKey, to name: String
    ) throws(StoreError) {
        try SchemaRules.check(newName: name, in: content.schema.tables[table.index])
        restructure(content.schema.with(table) { $0[column.index].name = name })
    }

    /// Renames a list, and the class of its values, if any, to match.
    ///
    /// Throws `invalidInput` for a name that is empty, too long or taken.
    package func rename(
        _ key: TableKey, _ list: ListKey, to name: String
    ) throws(StoreError) {
        let table = content.schema.tables[key.index]
        try SchemaRules.check(newName: name, in: table)
        let target = table.lists[list.index].target
        var schema = content.schema.with(key, list, name: name)
        if schema.tables[target.index].kind == .elements {
            // The items of values of any type: `property[]` of `Class.property`.
            let property = name.itemsProperty ?? name
            schema = schema.with(target, name: "\(table.name).\(property)")
        }
        restructure(schema)
    }

    /// Drops a column and its values. Owned rows that it links to are deleted.
    ///
    /// - Complexity: O(n / 1,024); O(n) for links to owned rows.
    package func drop(_ table: TableKey, _ column: ColumnKey) {
        let schema = content.schema.tables[table.index].columns[column.index]
        var owned: [ObjectKey] = []
        if let target = schema.linkTarget, content.schema.tables[target.index].kind.isOwned {
            content[table.index].forEachKey { key in
                let row = ObjectKey(rawValue: key)
                if let linked = content.value(table, row, column)?.linkedRow {
                    owned.append(ObjectKey(rawValue: linked))
                }
                return true
            }
        }
        willRestructure(table)
        removeTrees(table, column)
        var own = content.ownTable(table.index, edit.nodes)
        own.vacate(column, edit: edit.nodes)
        restructureDropped(table, column)
        if let target = schema.linkTarget { deleteOwned(target, owned) }
    }

    /// Moves the values of a column, with its default, to a column of the same type that was added
    /// later, and drops the source. An optional column can't be moved to a required one.
    ///
    /// - Complexity: O(n / 1,024), or O(n log n) for an indexed column.
    package func move(_ table: TableKey, _ source: ColumnKey, to target: ColumnKey) {
        let columns = content.schema.tables[table.index].columns
        let (from, to) = (columns[source.index], columns[target.index])
        precondition(source < target, "A column can only be moved to one that was added later.")
        precondition(
            from.type == to.type && from.linkTarget == to.linkTarget
                && (to.isOptional || !from.isOptional),
            "The columns must have compatible types.")
        willRestructure(table)
        removeTrees(table, source)
        removeTrees(table, target)
        restructure(
            content.schema.with(table) { $0[target.index].defaultValue = from.defaultValue })
        var own = content.ownTable(table.index, edit.nodes)
        own.move(
            source, to: target, columns: content.schema.tables[table.index].columns,
            edit: edit.nodes)
        restructureDropped(table, source, movedTo: target)
        content.buildTrees(target, of: table, edit)
    }

    /// Drops a list and its elements.
    ///
    /// - Complexity: O(elements), or O(elements log n) if they are owned.
    package func drop(_ table: TableKey, _ list: ListKey) {
        let schema = content.schema.tables[table.index].lists[list.index]
        let kind = content.schema.tables[schema.target.index].kind
        var owned: [ObjectKey] = []
        if kind == .embedded {
            content[table.index].backlinks(list.index).visit { element, _ in
                owned.append(ObjectKey(rawValue: element))
                return true
            }
        }
        willRestructure(table)
        removeIndex(table, ColumnTree(pointsOf: list).column, .points)
        var own = content.ownTable(table.index, edit.nodes)
        own.emptyList(list.index, edit.nodes)
        changes[table.index].lists = changes[table.index].lists.filter { $0.key.list != list }
        restructure(
            content.schema.with(
                table, list, name: DroppedName.list(list), isGeoIndexed: false))
        if kind == .elements { dropTable(schema.target) } else { deleteOwned(schema.target, owned) }
    }

    private func deleteOwned(_ table: TableKey, _ rows: [ObjectKey]) {
        if !rows.isEmpty { delete(table, rows) }
    }

    /// Deletes all rows of a class.
    ///
    /// - Complexity: That of deleting each row with `delete`.
    package func deleteAllRows(_ table: TableKey) {
        while true {
            let rows = keys(table, from: ObjectKey(rawValue: 0), limit: 4_096)
            if rows.isEmpty { return }
            delete(table, rows)
        }
    }

    /// Drops a class and its rows. Links and lists of other classes that refer to it remain, but
    /// are empty.
    package func dropTable(_ table: TableKey) {
        deleteAllRows(table)
        willRestructure(table)
        restructure(
            content.schema.with(table, name: DroppedName.table(table), kind: .object))
    }

    /// Makes the rows of a class owned or independent.
    ///
    /// - Precondition: Each row that becomes owned is referred to by exactly one link or list
    ///   element.
    package func setKind(_ table: TableKey, _ kind: TableKind) {
        willRestructure(table)
        restructure(content.schema.with(table, kind: kind))
    }

    /// Sets the primary key and the indexed columns, creating and dropping indexes accordingly.
    ///
    /// Throws `invalidInput` for types that don't support it.
    ///
    /// - Precondition: The values of the primary key are unique (`duplicate`).
    package func setKeys(
        _ table: TableKey, primaryKey: ColumnKey?, indexed: Set<ColumnKey>
    ) throws(StoreError) {
        let columns = content.schema.tables[table.index].columns
        var others = content.schema
        others = others.with(table) { definitions in
            for index in definitions.indices
            where columns[index].linkTarget == nil && columns[index].type != .any {
                let key = columns[index].key
                definitions[index].isPrimaryKey = key == primaryKey
                definitions[index].isIndexed = indexed.contains(key)
            }
        }
        let new = others.tables[table.index].columns
        guard new != columns else { return }
        for (old, new) in zip(columns, new) where new.hasIndex && !old.hasIndex {
            try SchemaRules.check(newIndex: old.key, of: content.schema.tables[table.index])
        }
        // Each of them may fit, but not all together.
        if let last = Array(zip(columns, new)).last(where: { $1.hasIndex && !$0.hasIndex })?.1 {
            try SchemaRules.checkTreeCount(others.tables[table.index], adding: 0, last.name)
        }
        willRestructure(table)
        for (old, new) in zip(columns, new) where old.hasIndex && !new.hasIndex {
            removeIndex(table, old.key)
        }
        restructure(others)
        for (old, new) in zip(columns, new) where new.hasIndex && !old.hasIndex {
            content.buildIndex(new.key, of: table, edit)
        }
    }

    /// Sets the columns with a full-text index, creating and dropping indexes accordingly.
    ///
    /// Throws `invalidInput` for columns that aren't of strings.
    package func setFullTextIndexes(
        _ table: TableKey, _ indexed: Set<ColumnKey>
    ) throws(StoreError) {
        let columns = content.schema.tables[table.index].columns
        let changed = columns.filter { $0.isFullTextIndexed != indexed.contains($0.key) }
        if changed.isEmpty { return }
        for column in changed where !column.isFullTextIndexed {
            try SchemaRules.check(
                newFullTextIndex: column.key, of: content.schema.tables[table.index])
        }
        willRestructure(table)
        for column in changed where column.isFullTextIndexed {
            removeIndex(table, column.key, .words)
        }
        restructure(
            content.schema.with(table) { definitions in
                for column in changed {
                    definitions[column.key.index].isFullTextIndexed.toggle()
                }
            })
        for column in changed where !column.isFullTextIndexed {
            content.buildIndex(column.key, .words, of: table, edit)
        }
    }

    /// Sets the lists with a geospatial index, creating and dropping indexes accordingly.
    ///
    /// Throws `invalidInput` for lists that aren't of doubles.
    package func setGeoIndexes(
        _ table: TableKey, _ indexed: Set<ListKey>
    ) throws(StoreError) {
        let lists = content.schema.tables[table.index].lists
        for list in lists where !list.isGeoIndexed && indexed.contains(list.key) {
            try SchemaRules.check(
                newGeoIndex: list.key, of: content.schema.tables[table.index],
                in: content.schema.tables)
            restructure(content.schema.with(table, list.key, isGeoIndexed: true))
            content.buildGeoIndex(list.key, of: table, edit)
        }
        for list in lists where list.isGeoIndexed && !indexed.contains(list.key) {
            willRestructure(table)
            removeIndex(table, ColumnTree(pointsOf: list.key).column, .points)
            restructure(content.schema.with(table, list.key, isGeoIndexed: false))
        }
    }

    /// Returns two rows with the same value in an indexed column, or `nil` if all values are
    /// distinct.
    ///
    /// - Complexity: O(n). Reads only rows whose index keys are equal.
    package func duplicate(
        _ table: TableKey, _ column: ColumnKey
    ) -> (value: Value, first: ObjectKey, second: ObjectKey)? {
        guard let index = content.index(table, column) else { return nil }
        var group: [(value: Value, row: ObjectKey)] = []
        var groupKey: UInt64?
        var pending: UInt64?
        var found: (value: Value, first: ObjectKey, second: ObjectKey)?
        index.visit { key, row in
            defer { (groupKey, pending) = (key, row) }
            guard key == groupKey, let before = pending else {
                group = []
                return true
            }
            for row in group.isEmpty ? [before, row] : [row] {
                let row = ObjectKey(rawValue: row)
                guard let value = content.value(table, row, column) else { continue }
                if let other = group.first(where: { $0.value == value }) {
                    found = (value, other.row, row)
                    return false
                }
                group.append((value, row))
            }
            return true
        }
        return found
    }

    // MARK: Steps

    private func willRestructure(_ table: TableKey) {
        willEdit()
        insertions = []
        edit.discard(table.index)
    }

    /// Replaces the schema.
    private func restructure(_ schema: DatabaseSchema) {
        willEdit()
        insertions = []
        edit.discard()
        content.schema = schema
        schemaChanges.append(.restructured)
    }

    /// Replaces the definition of a column whose values were dropped or moved.
    private func restructureDropped(
        _ table: TableKey, _ column: ColumnKey, movedTo target: ColumnKey? = nil
    ) {
        restructure(
            content.schema.with(table) { columns in
                columns[column.index] = ColumnDefinition(
                    name: DroppedName.column(column, movedTo: target), type: .bool,
                    isOptional: columns[column.index].isOptional)
            })
    }

    /// Removes the index and the full-text index of a column, as far as it has them.
    private func removeTrees(_ table: TableKey, _ column: ColumnKey) {
        removeIndex(table, column)
        removeIndex(table, column, .words)
    }

    private func removeIndex(
        _ table: TableKey, _ column: ColumnKey, _ kind: ColumnTreeKind = .values
    ) {
        guard let slot = content[table.index].indexSlot(of: column, kind) else { return }
        var own = content.ownTable(table.index, edit.nodes)
        own.removeIndex(at: slot, edit.nodes)
        edit.discard(table.index)
    }
}

import RegnumStore

extension DatabaseContent {
    /// Makes the edit own a table node and the path to it, and returns the table.
    @inline(__always)
    mutating func ownTable(_ index: Int, _ edit: NodeEdit) -> Table {
        guard var directory, let node = Node(word: directory.load(DatabaseContent.offset(index)))
        else { preconditionFailure("A class of the schema has no table.") }
        if edit.owns(directory), edit.owns(node) { return Table(node) }
        directory = edit.own(directory)
        self.directory = directory
        let own = edit.own(node)
        directory.store(own.word, DatabaseContent.offset(index))
        return Table(own)
    }

    /// Returns whether the inner nodes of a class's trees can count its rows and list elements.
    func isCountable(_ index: Int) -> Bool {
        let table = self[index]
        return table.count <= Limits.maximumEntryCount
            && (0..<table.node.count).allSatisfy {
                table.index(at: $0).count <= Limits.maximumEntryCount
            }
    }

    /// Adds a class. Throws `invalidInput` according to `SchemaRules`, without making changes.
    mutating func addTable(
        _ name: String, _ kind: TableKind = .object, _ columns: [ColumnDefinition],
        _ edit: ContentEdit
    ) throws(StoreError) -> TableKey {
        try SchemaRules.check(
            newTable: name, kind, columns, isTaken: schema.table(named: name) != nil,
            tableCount: schema.tables.count)
        let count = schema.tables.count
        grow(to: schema.adding(name: name, kind: kind, columns: columns), edit)
        return schema.tables[count].key
    }

    /// Adds the classes that a valid schema has after those of the current one.
    mutating func grow(to schema: DatabaseSchema, _ edit: ContentEdit) {
        let added = schema.tables[self.schema.tables.count...]
        self.schema = schema
        let byteCount = DatabaseContent.offset(schema.tables.count)
        let directory =
            directory.map { edit.nodes.copy($0, byteCount: byteCount) }
            ?? edit.nodes.make(.directory, byteCount: byteCount)
        for schema in added {
            var table = Table.make(schema.columnTrees, edit.nodes)
            if !schema.lists.isEmpty { table = table.addingLists(schema.lists.count, edit.nodes) }
            directory.store(table.node.word, DatabaseContent.offset(schema.key.index))
        }
        self.directory = directory
    }

    /// Adds a column. Throws `invalidInput` according to `SchemaRules`, without making changes.
    ///
    /// - Complexity: O(1), or O(n) for an indexed column.
    mutating func addColumn(
        _ definition: ColumnDefinition, to key: TableKey, _ edit: ContentEdit
    ) throws(StoreError) -> ColumnKey {
        try SchemaRules.check(
            newColumn: definition, in: schema.tables[key.index], tableCount: schema.tables.count)
        schema = schema.adding(definition, to: key)
        let columns = schema.tables[key.index].columns
        let column = columns[columns.count - 1]
        buildTrees(column.key, of: key, edit)
        return column.key
    }

    /// Adds an index to an existing column. Throws `invalidInput` according to `SchemaRules`,
    /// without making changes.
    ///
    /// - Complexity: O(n log n).
    mutating func addIndex(
        _ column: ColumnKey, of key: TableKey, _ edit: ContentEdit
    ) throws(StoreError) {
        try SchemaRules.check(newIndex: column, of: schema.tables[key.index])
        schema = schema.with(key) { $0[column.index].isIndexed = true }
        buildIndex(column, of: key, edit)
    }

    /// Adds a full-text index to an existing column. Throws like `addIndex`.
    ///
    /// - Complexity: O(n log n) for n words.
    mutating func addFullTextIndex(
        _ column: ColumnKey, of key: TableKey, _ edit: ContentEdit
    ) throws(StoreError) {
        try SchemaRules.check(newFullTextIndex: column, of: schema.tables[key.index])
        schema = schema.with(key) { $0[column.index].isFullTextIndexed = true }
        buildIndex(column, .words, of: key, edit)
    }

    /// Builds the trees that a column has according to the schema.
    mutating func buildTrees(_ column: ColumnKey, of key: TableKey, _ edit: ContentEdit) {
        let definition = schema.tables[key.index].columns[column.index]
        if definition.hasIndex { buildIndex(column, of: key, edit) }
        if definition.isFullTextIndexed { buildIndex(column, .words, of: key, edit) }
    }

    /// Builds one of the trees that a column has according to the schema.
    mutating func buildIndex(
        _ column: ColumnKey, _ kind: ColumnTreeKind = .values, of key: TableKey,
        _ edit: ContentEdit
    ) {
        let definition = schema.tables[key.index].columns[column.index]
        let table = self[key.index]
        let entries =
            switch kind {
            case .values: table.indexEntries(of: definition, seed: context.seed)
            case .words: table.wordEntries(of: definition, seed: context.seed)
            case .points: preconditionFailure("A column can't have a geospatial index.")
            }
        add(ColumnTree(column: column, kind: kind), entries, to: key, edit)
    }

    /// Adds an index of ascending entries to a table.
    mutating func add(
        _ tree: ColumnTree, _ entries: [IndexTree.Entry], to key: TableKey, _ edit: ContentEdit
    ) {
        edit.discard(key.index)
        let table = ownTable(key.index, edit.nodes).adding(tree, entries, edit.nodes)
        directory?.store(table.node.word, DatabaseContent.offset(key.index))
    }

    /// Inserts a row under the table's next key, or a later one, and returns the key. There must be
    /// one valid value for each column.
    mutating func insert(
        _ index: Int, at key: UInt64? = nil, _ values: [Value], version: UInt64,
        _ edit: ContentEdit
    ) -> UInt64 {
        var table = ownTable(index, edit.nodes)
        let editor = edit.editor(index, table, schema.tables[index])
        if let key, key != table.nextKey { table.setNextKey(key, edit: edit.nodes) }
        let row = editor.appender.append(values, to: &table, version: version)
        for slot in editor.indexColumns.indices {
            let value = values[editor.indexColumns[slot]]
            editor.insert(
                IndexKey.key(value, seed: context.seed), row, at: slot, table, edit.nodes)
        }
        for (column, slot) in editor.wordTrees {
            let keys = WordKey.keys(values[column], seed: context.seed)
            editor.insert(words: keys, row, at: slot, table, edit.nodes)
        }
        return row
    }

    /// Changes one value of a row. Returns false if there is no such row.
    mutating func set(
        _ index: Int, _ key: UInt64, _ column: ColumnSchema, _ value: Value, version: UInt64,
        _ edit: ContentEdit
    ) -> Bool {
        var table = self[index]
        let points = column.type == .double ? points(withElement: key, in: index) : []
        if column.hasIndex {
            guard let (cluster, place) = table.place(key) else { return false }
            let old = IndexKey.key(cluster.value(place, column), seed: context.seed)
            let new = IndexKey.key(value, seed: context.seed)
            table = ownTable(index, edit.nodes)
            if old != new {
                let editor = edit.editor(index, table, schema.tables[index])
                let slot = editor.slots[column.key.index]
                editor.remove(old, key, at: slot, table, edit.nodes)
                editor.insert(new, key, at: slot, table, edit.nodes)
            }
        } else {
            guard table.contains(key) else { return false }
            table = ownTable(index, edit.nodes)
        }
        if column.isFullTextIndexed, let (cluster, place) = table.place(key) {
            let editor = edit.editor(index, table, schema.tables[index])
            if let slot = editor.wordSlot(of: column.key.index) {
                editor.replace(
                    words: cluster.wordKeys(place, column, seed: context.seed),
                    with: WordKey.keys(value, seed: context.seed), key, at: slot, table,
                    edit.nodes)
            }
        }
        let isSet = table.set(
            key, column.key, value, version: version, columns: schema.tables[index].columns,
            edit: edit.nodes)
        for point in points { movePoint(point, edit.nodes) }
        return isSet
    }

    /// Deletes a row. Returns false if it doesn't exist.
    mutating func remove(_ index: Int, _ key: UInt64, _ edit: ContentEdit) -> Bool {
        guard let (cluster, place) = self[index].place(key) else { return false }
        let points = points(withElement: key, in: index)
        var table = ownTable(index, edit.nodes)
        let editor = edit.editor(index, table, schema.tables[index])
        for slot in editor.indexColumns.indices {
            let number = editor.indexColumns[slot]
            let old: UInt64
            if number < cluster.slotCount, editor.areIntegers[slot] {
                old = IndexKey.key(cluster.int(place, number))
            } else {
                let column = schema.tables[index].columns[number]
                old = IndexKey.key(cluster.value(place, column), seed: context.seed)
            }
            editor.remove(old, key, at: slot, table, edit.nodes)
        }
        for (number, slot) in editor.wordTrees {
            let column = schema.tables[index].columns[number]
            editor.replace(
                words: cluster.wordKeys(place, column, seed: context.seed), with: [], key,
                at: slot, table, edit.nodes)
        }
        let isRemoved = table.remove(key, edit: edit.nodes)
        for point in points { movePoint(point, edit.nodes) }
        return isRemoved
    }
}

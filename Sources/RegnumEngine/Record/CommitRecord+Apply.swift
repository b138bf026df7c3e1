package import RegnumStore

extension CommitRecord {
    /// Applies a record's body to the preceding root. Returns exactly the root and summary that its
    /// writer had.
    ///
    /// Throws `invalidDatabase` if the body is damaged or doesn't follow `base` (its version isn't
    /// `base.version + 1`), and `unsupportedFormat` if a newer version wrote it. Never traps,
    /// whatever the bytes. For inserted rows, allocates at most about a kilobyte for each cell, of
    /// which there are at most `Limits.maximumRecordCellCount`, and 64 bytes for each cell of a
    /// skipped key, of which there are at most `Limits.maximumRecordSkippedCellCount`; for text
    /// `Limits.maximumRecordTextByteCount` and `Limits.maximumRecordDefaultByteCount`.
    ///
    /// If a leaf of `base` can't be read, which the caller's `DamageWatch` records, or an earlier
    /// commit was applied to one, the result is wrong, but the record isn't taken for damaged.
    ///
    /// - Complexity: O(changes x log n).
    package static func apply(
        _ body: [UInt8], to base: DatabaseRoot
    ) throws(StoreError) -> (root: DatabaseRoot, summary: CommitSummary) {
        var application = RecordApplication(body, base)
        do throws(StoreError) {
            return try application.run()
        } catch {
            application.abort()
            throw error
        }
    }
}

/// The application of one record to a tree.
private struct RecordApplication {
    private var reader: RecordReader
    private let base: DatabaseRoot
    private var content: DatabaseContent
    private let edit: ContentEdit
    private var version: UInt64 = 0
    /// The position of the last operation in the required order: rows or lists, table, kind,
    /// column.
    private var lastPlace: (Int, Int, UInt8, Int) = (0, -1, 0, 0)
    private var lists = ListDecoder()
    private var links = LinkChecks()
    private var cellsLeft = Limits.maximumRecordCellCount
    private var setCellsLeft = Limits.maximumRecordCellCount
    private var budget = RecordBudget()
    private var tables: [TableKey: TableDelta] = [:]
    // The changes of the class that the current operations belong to.
    private var table: TableSchema?
    private var inserted: [ObjectKey] = []
    private var deleted: [ObjectKey] = []
    private var modified: [ObjectKey: ColumnSet] = [:]

    init(_ body: [UInt8], _ base: DatabaseRoot) {
        reader = RecordReader(body)
        self.base = base
        (content, edit) = base.content.edited(on: base.stamp)
    }

    func abort() { edit.nodes.store.abort(edit.nodes, directory: content.directory) }

    mutating func run() throws(StoreError) -> (root: DatabaseRoot, summary: CommitSummary) {
        version = try reader.fixed(UInt64.self)
        guard version == base.version &+ 1, version > 0 else {
            throw reader.damaged("its version is \(version) instead of \(base.version) + 1")
        }
        try reader.require(version <= Limits.maximumVersion, "its version is too large")
        _ = try reader.fixed(Int64.self)
        var origin: String?
        let originSize = try reader.count(max: reader.remaining + 1, "the origin's length")
        if originSize > 0 { origin = try reader.string(originSize - 1) }
        while !reader.isAtEnd { try operation() }
        finishTable()
        addListChanges()
        try links.check(content, reader)
        for table in tables.keys {
            try reader.require(
                content.isCountable(table.index), "a class has too many rows or list elements")
        }
        let root = DatabaseRoot(version: version, content: content, stamp: edit.nodes.stamp)
        edit.nodes.store.finish(edit.nodes)
        return (
            root,
            CommitSummary(version: version, origin: origin, tables: tables)
        )
    }

    private mutating func operation() throws(StoreError) {
        let code = try reader.byte()
        guard let operation = CommitRecord.Operation(rawValue: code) else {
            throw .newer("A commit record has the unknown operation \(code)")
        }
        if operation == .schemaVersion { return try schemaVersion() }
        let index = try reader.count(max: Int(UInt32.max), "a table key")
        switch operation {
        case .addTable:
            try reader.require(lastPlace.1 < 0, "a class is added after rows were changed")
            try reader.require(
                index == content.schema.tables.count, "a new class has the wrong key")
            try addTable()
            return
        case .addColumn, .addList, .addIndex, .addFullTextIndex, .addGeoIndex:
            try reader.require(lastPlace.1 < 0, "a column is added after rows were changed")
        case .delete, .set, .insert, .lists, .schemaVersion: break
        }
        try reader.require(
            index < content.schema.tables.count, "an operation's class does not exist")
        switch operation {
        case .addColumn: return try addColumn(index)
        case .addList: return try addList(index)
        case .addIndex: return try addIndex(index)
        case .addFullTextIndex: return try addFullTextIndex(index)
        case .addGeoIndex: return try addGeoIndex(index)
        default: break
        }
        let schema = content.schema.tables[index]
        var column = 0
        if operation == .set {
            column = try reader.count(max: schema.columns.count - 1, "a column key")
        } else if operation == .lists {
            column = try reader.count(max: Int(UInt16.max), "a list key")
        }
        let place = (operation == .lists ? 1 : 0, index, code, column)
        try reader.require(lastPlace < place, "operations are out of order")
        if index != lastPlace.1 || operation == .lists { finishTable() }
        lastPlace = place
        if operation == .lists {
            let list = ListKey(rawValue: UInt16(column))
            return try lists.apply(
                &reader, ListPlace(table: schema.key, list: list), &content, edit.nodes)
        }
        table = schema
        switch operation {
        case .delete: try delete(schema)
        case .set: try set(schema, schema.columns[column])
        case .insert: try insert(schema)
        default: break
        }
    }

    /// Moves the recorded changes of the class into the summary.
    private mutating func finishTable() {
        guard let table else { return }
        var rows: [ModifiedRow] = []
        rows.reserveCapacity(modified.count)
        for (key, columns) in modified { rows.append(ModifiedRow(key: key, columns: columns)) }
        rows.sort { $0.key < $1.key }
        tables[table.key] = TableDelta(
            table: table.key, tableName: table.name, inserted: inserted, deleted: deleted,
            modified: rows)
        inserted = []
        deleted = []
        modified = [:]
        self.table = nil
    }

    /// Adds the list changes to the summary.
    private mutating func addListChanges() {
        for schema in content.schema.tables where !schema.lists.isEmpty {
            let found = lists.changes(
                of: schema, firstNewKey: base.content.table(schema.key)?.nextKey ?? 0)
            if found.isEmpty { continue }
            let delta = tables[schema.key]
            tables[schema.key] = TableDelta(
                table: schema.key, tableName: schema.name, inserted: delta?.inserted ?? [],
                deleted: delta?.deleted ?? [], modified: delta?.modified ?? [],
                listChanges: found)
        }
    }

    // MARK: Schema

    private mutating func schemaVersion() throws(StoreError) {
        try reader.require(lastPlace.1 < 0, "the schema's version is set after rows were changed")
        let version = try reader.varint()
        try reader.require(version > content.schema.version, "the schema version does not increase")
        try chargeSchemaChange(adding: 0)
        content.schema = content.schema.at(version: version)
    }

    private mutating func addTable() throws(StoreError) {
        let name = try reader.string()
        let kind = try reader.tableKind(of: "commit record")
        let columns = try reader.columnDefinitions(of: "commit record")
        try chargeSchemaChange(adding: 1 + columns.count)
        do throws(StoreError) {
            _ = try content.addTable(name, kind, columns, edit)
        } catch {
            throw reader.damaged("it adds an invalid class (\(error.message))")
        }
    }

    private mutating func addColumn(_ index: Int) throws(StoreError) {
        let schema = content.schema.tables[index]
        let key = try reader.varint()
        try reader.require(key == UInt64(schema.columns.count), "a new column has the wrong key")
        let definition = try reader.columnDefinition(of: "commit record")
        try chargeSchemaChange(
            adding: 1, indexWork: CommitRecord.indexWork(definition, content[index].count))
        do throws(StoreError) {
            _ = try content.addColumn(definition, to: schema.key, edit)
        } catch {
            throw reader.damaged("it adds an invalid column (\(error.message))")
        }
    }

    private mutating func addList(_ index: Int) throws(StoreError) {
        let schema = content.schema.tables[index]
        let key = try reader.varint()
        try reader.require(key == UInt64(schema.lists.count), "a new list has the wrong key")
        let name = try reader.string()
        let target = try reader.count(max: Int(UInt32.max), "a table key")
        let kind = try reader.listKind(of: "commit record").kind
        try chargeSchemaChange(adding: 1)
        do throws(StoreError) {
            _ = try content.addList(
                name, target: TableKey(rawValue: UInt32(target)), kind, to: schema.key, edit)
        } catch {
            throw reader.damaged("it adds an invalid list (\(error.message))")
        }
    }

    private mutating func addIndex(_ index: Int) throws(StoreError) {
        let column = try reader.count(max: Int(UInt16.max), "a column key")
        try chargeSchemaChange(
            adding: 0, indexWork: CommitRecord.indexWork(rowCount: content[index].count))
        do throws(StoreError) {
            try content.addIndex(
                ColumnKey(rawValue: UInt16(column)), of: content.schema.tables[index].key, edit)
        } catch {
            throw reader.damaged("it adds an invalid index (\(error.message))")
        }
    }

    private mutating func addFullTextIndex(_ index: Int) throws(StoreError) {
        let schema = content.schema.tables[index]
        let column = try reader.count(max: schema.columns.count - 1, "a column key")
        let definition = schema.columns[column]
        try reader.require(
            definition.type == .string, "it adds a full-text index to a column without text")
        let byteCount = content[index].textByteCount(of: definition.key, definition.defaultValue)
        let work = CommitRecord.fullTextWork(
            rowCount: content[index].count, textByteCount: byteCount)
        try chargeSchemaChange(adding: 0, indexWork: work)
        do throws(StoreError) {
            try content.addFullTextIndex(definition.key, of: schema.key, edit)
        } catch {
            throw reader.damaged("it adds an invalid full-text index (\(error.message))")
        }
    }

    private mutating func addGeoIndex(_ index: Int) throws(StoreError) {
        let list = try reader.count(max: Int(UInt16.max), "a list key")
        try chargeSchemaChange(
            adding: 0, indexWork: CommitRecord.geoWork(rowCount: content[index].count))
        do throws(StoreError) {
            try content.addGeoIndex(
                ListKey(rawValue: UInt16(list)), of: content.schema.tables[index].key, edit)
        } catch {
            throw reader.damaged("it adds an invalid geospatial index (\(error.message))")
        }
    }

    private mutating func chargeSchemaChange(
        adding parts: Int, indexWork: Int = 0
    ) throws(StoreError) {
        try reader.require(
            budget.chargeSchemaChange(content.schema, adding: parts, indexWork: indexWork),
            "it changes the schema more often than a record may")
    }

    // MARK: Rows

    private mutating func delete(_ schema: TableSchema) throws(StoreError) {
        let index = schema.key.index
        let keys = try KeyRuns.decode(&reader, maximumCount: content[index].count)
        for key in keys {
            let isRemoved = content.remove(index, key.rawValue, edit)
            try reader.require(isRemoved, "it deletes a row that does not exist")
        }
        lists.delete(keys, in: schema, &content, edit.nodes)
        links.noteDeleted(keys, of: schema.key, content.schema)
        deleted = keys
    }

    private mutating func set(
        _ schema: TableSchema, _ column: ColumnSchema
    ) throws(StoreError) {
        let index = schema.key.index
        try reader.require(!column.isPrimaryKey, "it changes a primary key")
        let keys = try KeyRuns.decode(
            &reader, maximumCount: min(content[index].count, setCellsLeft))
        setCellsLeft -= keys.count
        let values = try self.values(of: column, count: keys.count)
        try chargeDefaults(schema, keys[...], setting: column.key.index)
        if content.schema.orders(column.key, of: schema) {
            // Writers replace such elements instead. Lookups would miss one that is out of order.
            for (key, value) in zip(keys, values) {
                let old = content.value(schema.key, key, column.key)
                try reader.require(
                    old == nil || old == value || content.mayBeMisread,
                    "it changes the value of a set's element or the key of a map's entry")
            }
        }
        for (key, value) in zip(keys, values) {
            let isSet = content.set(
                index, key.rawValue, column, value, version: version, edit)
            try reader.require(isSet, "it changes a row that does not exist")
            modified[key, default: ColumnSet()].insert(column.key)
        }
    }

    private mutating func insert(_ schema: TableSchema) throws(StoreError) {
        let index = schema.key.index
        let cellsPerRow = schema.columns.count + Limits.recordCellsPerRow
        let keys = try KeyRuns.decode(&reader, maximumCount: cellsLeft / cellsPerRow)
        cellsLeft -= keys.count * cellsPerRow
        try reader.require(
            keys[0].rawValue >= content[index].nextKey, "it inserts a key that was already used")
        try reader.require(
            budget.chargeSkipped(
                CommitRecord.skippedCount(keys, next: content[index].nextKey),
                columnCount: schema.columns.count),
            "it skips more keys than a record may")
        let columnCount = try reader.varint()
        try reader.require(
            columnCount == UInt64(schema.columns.count), "its rows have the wrong number of columns"
        )
        var columns: [[Value]] = []
        columns.reserveCapacity(schema.columns.count)
        for column in schema.columns {
            columns.append(try values(of: column, count: keys.count))
        }
        // the last cluster may lack columns
        try chargeDefaults(schema, keys.prefix(1), setting: schema.columns.count - 1)
        for (position, key) in keys.enumerated() {
            var values: [Value] = []
            values.reserveCapacity(columns.count)
            for column in columns.indices { values.append(columns[column][position]) }
            if let primaryKey = schema.primaryKey {
                let found = content.find(schema.key, primaryKey: values[primaryKey.index])
                try reader.require(
                    found == nil || content.mayBeMisread, "it inserts a primary key twice")
            }
            _ = content.insert(index, at: key.rawValue, values, version: version, edit)
        }
        inserted = keys
    }

    /// Decodes and checks the values of a column block, one for each row.
    private mutating func values(
        of column: ColumnSchema, count: Int
    ) throws(StoreError) -> [Value] {
        let values = try ColumnBlock.decode(&reader, column.type, count: count)
        try check(values, column)
        try reader.require(
            budget.charge(values, of: column.type),
            "its rows have more text than a record may contain")
        links.note(values, of: column)
        return values
    }

    private mutating func chargeDefaults(
        _ schema: TableSchema, _ keys: ArraySlice<ObjectKey>, setting column: Int
    ) throws(StoreError) {
        let byteCount = content[schema.key.index].defaultByteCount(
            keys, schema.columns, setting: column)
        try reader.require(
            budget.chargeDefaults(byteCount),
            "it stores more default text than a record may contain")
    }

    private func check(_ values: [Value], _ column: ColumnSchema) throws(StoreError) {
        if column.isOptional { return }
        for value in values where value.isNull {
            throw reader.damaged("it sets a required property to nil")
        }
    }
}

import RegnumStore

/// What a bulk commit changed, for change streams of other processes: keys and columns, no values.
/// `Docs/FORMAT.md` owns the layout.
enum DeltaBlob {
    private enum Part {
        static let deleted: UInt8 = 1
        static let modified: UInt8 = 2
        static let inserted: UInt8 = 4
    }

    static func encode(_ summary: CommitSummary) -> [UInt8] {
        var writer = RecordWriter(capacity: 256)
        let deltas = summary.tables.values.sorted { $0.table < $1.table }
        writer.varint(deltas.count)
        for delta in deltas {
            writer.varint(UInt64(delta.table.rawValue))
            var parts: UInt8 = 0
            if !delta.deleted.isEmpty { parts |= Part.deleted }
            if !delta.modified.isEmpty { parts |= Part.modified }
            if !delta.inserted.isEmpty { parts |= Part.inserted }
            writer.byte(parts)
            if !delta.deleted.isEmpty { KeyRuns.encode(delta.deleted, &writer) }
            if !delta.modified.isEmpty { encode(delta.modified, &writer) }
            if !delta.inserted.isEmpty { KeyRuns.encode(delta.inserted, &writer) }
        }
        return writer.bytes
    }

    private static func encode(_ modified: [ModifiedRow], _ writer: inout RecordWriter) {
        var keys: [ColumnKey: [ObjectKey]] = [:]
        for row in modified {
            for column in row.columns.columns { keys[column, default: []].append(row.key) }
        }
        writer.varint(keys.count)
        for (column, rows) in keys.sorted(by: { $0.key < $1.key }) {
            writer.varint(UInt64(column.rawValue))
            KeyRuns.encode(rows, &writer)
        }
    }

    /// The summary of the commit that led from `base` to `root`, if its changes can be that.
    ///
    /// Throws `invalidDatabase`. Allocates at most some hundred bytes for each row of the two.
    static func decode(
        _ bytes: [UInt8], origin: String?, from base: DatabaseRoot, to root: DatabaseRoot
    ) throws(StoreError) -> CommitSummary {
        var reader = RecordReader(bytes)
        let count = try reader.count(
            max: min(root.schema.tables.count, reader.remaining), "a number of classes")
        var tables: [TableKey: TableDelta] = [:]
        var last = -1
        for _ in 0..<count {
            let index = try reader.count(max: root.schema.tables.count - 1, "a table key")
            try reader.require(index > last, "classes are out of order")
            last = index
            let delta = try decode(&reader, root.schema.tables[index], base, root)
            tables[delta.table] = delta
        }
        try reader.require(reader.isAtEnd, "bytes are left over")
        return CommitSummary(version: root.version, origin: origin, tables: tables)
    }

    private static func decode(
        _ reader: inout RecordReader, _ schema: TableSchema, _ base: DatabaseRoot,
        _ root: DatabaseRoot
    ) throws(StoreError) -> TableDelta {
        let parts = try reader.byte()
        try reader.require(parts > 0 && parts < 8, "a class has unknown changes")
        let before = base.count(schema.key)
        let after = root.count(schema.key)
        var deleted: [ObjectKey] = []
        var inserted: [ObjectKey] = []
        var modified: [ModifiedRow] = []
        if parts & Part.deleted != 0 {
            deleted = try KeyRuns.decode(&reader, countMax: before)
            for key in deleted {
                try reader.require(
                    base.contains(schema.key, key) && !root.contains(schema.key, key),
                    "a row is deleted that is not")
            }
        }
        if parts & Part.modified != 0 {
            modified = try decodeModified(&reader, schema, base, root)
        }
        if parts & Part.inserted != 0 {
            inserted = try KeyRuns.decode(&reader, countMax: after)
            for key in inserted {
                try reader.require(
                    !base.contains(schema.key, key) && root.contains(schema.key, key),
                    "a row is inserted that is not")
            }
        }
        try reader.require(
            after == before - deleted.count + inserted.count, "a class changes otherwise")
        return TableDelta(
            table: schema.key, tableName: schema.name, inserted: inserted, deleted: deleted,
            modified: modified)
    }

    private static func decodeModified(
        _ reader: inout RecordReader, _ schema: TableSchema, _ base: DatabaseRoot,
        _ root: DatabaseRoot
    ) throws(StoreError) -> [ModifiedRow] {
        var columns: [ObjectKey: ColumnSet] = [:]
        let count = try reader.count(max: schema.columns.count, "a number of columns")
        var last = -1
        for _ in 0..<count {
            let column = try reader.count(max: schema.columns.count - 1, "a column key")
            try reader.require(column > last, "columns are out of order")
            last = column
            let keys = try KeyRuns.decode(&reader, countMax: base.count(schema.key))
            for key in keys {
                try reader.require(
                    base.contains(schema.key, key) && root.contains(schema.key, key),
                    "a row is changed that is not in both versions")
                columns[key, default: ColumnSet()].insert(schema.columns[column].key)
            }
        }
        var rows = columns.map { ModifiedRow(key: $0.key, columns: $0.value) }
        rows.sort { $0.key < $1.key }
        return rows
    }
}

import RegnumStore

extension CommitRecord {
    /// Returns the body for a transaction with the net effect `deltas` (by ascending table key), or
    /// `nil` if it exceeds the limits of a record (`Limits`).
    static func encode(
        _ transaction: EngineTransaction, deltas: [TableDelta], timestampMicroseconds: Int64
    ) -> [UInt8]? {
        var writer = begin(transaction.version, timestampMicroseconds, transaction.origin)
        for change in transaction.schemaChanges { encode(change, &writer) }
        for delta in deltas {
            let table = transaction.content.schema.tables[delta.table.index]
            let rows = transaction.content[delta.table.index]
            if !delta.deleted.isEmpty {
                begin(.delete, table.key, &writer)
                KeyRuns.encode(delta.deleted, &writer)
            }
            if !delta.modified.isEmpty {
                encodeSets(delta.modified, table, rows, transaction.content, &writer)
            }
            if !delta.inserted.isEmpty { encodeInserts(delta.inserted, table, rows, &writer) }
        }
        var lists = ListEncoder()
        for delta in deltas { lists.encode(transaction, delta, &writer) }
        let isTooMuch =
            writer.bytes.count + writer.elidedTextByteCount > Limits.maximumRecordTextByteCount
        return isTooMuch ? nil : writer.bytes
    }

    /// Returns a writer with what precedes the operations of a record.
    static func begin(
        _ version: UInt64, _ timestampMicroseconds: Int64, _ origin: String?
    ) -> RecordWriter {
        var writer = RecordWriter(capacity: 256)
        writer.fixed(version)
        writer.fixed(timestampMicroseconds)
        writer.varint(origin.map { $0.utf8.count + 1 } ?? 0)
        if let origin { writer.raw(origin) }
        return writer
    }

    static func begin(
        _ operation: Operation, _ table: TableKey, _ writer: inout RecordWriter
    ) {
        writer.byte(operation.rawValue)
        writer.varint(UInt64(table.rawValue))
    }

    private static func encode(_ change: SchemaChange, _ writer: inout RecordWriter) {
        switch change {
        case .table(let key, let name, let kind, let columns):
            begin(.addTable, key, &writer)
            writer.string(name)
            writer.byte(kind.rawValue)
            writer.varint(columns.count)
            for column in columns { writer.columnDefinition(column) }
        case .column(let table, let key, let definition):
            begin(.addColumn, table, &writer)
            writer.varint(UInt64(key.rawValue))
            writer.columnDefinition(definition)
        case .restructured:
            preconditionFailure("A restructured schema can't be encoded: it commits in bulk.")
        case .version(let version):
            writer.byte(Operation.schemaVersion.rawValue)
            writer.varint(version)
        case .list(let table, let key, let name, let target, let kind):
            begin(.addList, table, &writer)
            writer.varint(UInt64(key.rawValue))
            writer.string(name)
            writer.varint(UInt64(target.rawValue))
            writer.byte(kind.rawValue)
        case .index(let table, let column):
            begin(.addIndex, table, &writer)
            writer.varint(UInt64(column.rawValue))
        case .fullTextIndex(let table, let column):
            begin(.addFullTextIndex, table, &writer)
            writer.varint(UInt64(column.rawValue))
        case .geoIndex(let table, let list):
            begin(.addGeoIndex, table, &writer)
            writer.varint(UInt64(list.rawValue))
        }
    }

    private static func encodeSets(
        _ modified: [ModifiedRow], _ table: TableSchema, _ rows: Table,
        _ content: DatabaseContent, _ writer: inout RecordWriter
    ) {
        var columns = ColumnSet()
        for row in modified { columns.formUnion(row.columns) }
        for key in columns.columns {
            let column = table.columns[key.index]
            var keys: [ObjectKey] = []
            var values: [Value] = []
            for row in modified where row.columns.contains(key) {
                guard let (cluster, place) = rows.place(row.key.rawValue) else { continue }
                let value = cluster.value(place, column)
                if !content.isSound(value, of: column) { content.reportLink(column, of: table) }
                keys.append(row.key)
                values.append(value)
            }
            begin(.set, table.key, &writer)
            writer.varint(UInt64(key.rawValue))
            KeyRuns.encode(keys, &writer)
            ColumnBlock.encode(values, column.type, &writer)
        }
    }

    private static func encodeInserts(
        _ inserted: [ObjectKey], _ table: TableSchema, _ rows: Table,
        _ writer: inout RecordWriter
    ) {
        begin(.insert, table.key, &writer)
        KeyRuns.encode(inserted, &writer)
        writer.varint(table.columns.count)
        if inserted.count == 1, let (cluster, place) = rows.place(inserted[0].rawValue) {
            for column in table.columns {
                ColumnBlock.encode(cluster.value(place, column), &writer)
            }
            return
        }
        var places: [(cluster: Cluster, place: Int)] = []
        places.reserveCapacity(inserted.count)
        rows.forEachPlace(from: inserted[0].rawValue) { cluster, place in
            places.append((cluster, place))
            return true
        }
        var values: [Value] = []
        values.reserveCapacity(places.count)
        for column in table.columns {
            values.removeAll(keepingCapacity: true)
            for (cluster, place) in places { values.append(cluster.value(place, column)) }
            ColumnBlock.encode(values, column.type, &writer)
        }
    }
}

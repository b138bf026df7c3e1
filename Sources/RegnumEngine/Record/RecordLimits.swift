import RegnumStore

// Limits for the work a record can cause, beyond its size, because a few bytes can describe a lot.
// A transaction that exceeds them commits in bulk, so only a forged record can.

extension CommitRecord {
    /// Returns the cost of adding an index to a class.
    static func indexWork(rowCount: Int) -> Int { rowCount / 8 }

    /// Returns the cost of adding a full-text index to a class whose rows have `textByteCount`
    /// bytes in the column.
    static func fullTextWork(rowCount: Int, textByteCount: Int) -> Int {
        indexWork(rowCount: rowCount) + textByteCount / 16
    }

    /// Returns the cost of adding a geospatial index to a class. Each row's list is read.
    static func geoWork(rowCount: Int) -> Int { rowCount / 2 }

    /// Returns the cost of the indexes of a new column, whose rows have its default.
    static func indexWork(_ definition: ColumnDefinition, _ rowCount: Int) -> Int {
        var work = definition.isIndexed ? indexWork(rowCount: rowCount) : 0
        if definition.isFullTextIndexed {
            work += fullTextWork(
                rowCount: rowCount,
                textByteCount: rowCount * definition.defaultValue.textByteCount)
        }
        return work
    }

    /// Returns whether applying a transaction's schema changes may cost too much.
    static func isTooMuchWork(
        _ changes: [SchemaChange], _ base: DatabaseRoot, _ schema: DatabaseSchema
    ) -> Bool {
        if changes.isEmpty { return false }
        var work = changes.count * schema.partCount
        for change in changes {
            switch change {
            case .column(let table, _, let definition):
                work += indexWork(definition, base.content.table(table)?.count ?? 0)
            case .index(let table, _):
                work += indexWork(rowCount: base.content.table(table)?.count ?? 0)
            case .fullTextIndex(let table, let column):
                guard let rows = base.content.table(table) else { break }
                let definition = schema.tables[table.index].columns[column.index].definition
                let byteCount = rows.textByteCount(of: column, definition.defaultValue)
                work += fullTextWork(rowCount: rows.count, textByteCount: byteCount)
            case .geoIndex(let table, _):
                work += geoWork(rowCount: base.content.table(table)?.count ?? 0)
            default: break
            }
        }
        return work > Limits.maximumRecordSchemaWork
    }
}

extension CommitRecord {
    /// Returns the number of keys that new rows skip in their clusters, which store them like
    /// deleted rows.
    ///
    /// - Parameters:
    ///   - keys: The keys of the rows, ascending.
    ///   - next: The class's next key, or 0, with which at least as many count.
    static func skippedCount(_ keys: [ObjectKey], next: UInt64) -> Int {
        var next = next
        var count = 0
        for key in keys {
            let isSameCluster = Table.base(key.rawValue) == Table.base(next)
            count += isSameCluster ? Int(key.rawValue - next) : Table.row(key.rawValue)
            next = key.rawValue + 1
        }
        return count
    }

    /// Returns whether applying a transaction may store too much text of defaults.
    ///
    /// The columns that a cluster lacks aren't the same in every process: a row that was changed
    /// and then deleted leaves no trace in the record. So all clusters count as if they lacked all
    /// columns, and readers never find more.
    static func storesTooManyDefaults(
        _ deltas: [TableDelta], _ base: DatabaseRoot, _ schema: DatabaseSchema
    ) -> Bool {
        var byteCount = 0
        for delta in deltas {
            guard let table = base.content.table(delta.table) else { continue }
            let columns = schema.tables[delta.table.index].columns
            byteCount += table.defaultByteCount(delta.modified.lazy.map(\.key), columns)
            byteCount += table.defaultByteCount(delta.inserted.prefix(1), columns)
        }
        return byteCount > Limits.maximumRecordDefaultByteCount
    }
}

extension Table {
    /// Returns the bytes of text in the defaults that are stored when a column of existing rows is
    /// set.
    ///
    /// - Parameters:
    ///   - keys: the rows, ascending. Those in clusters that don't exist don't count.
    ///   - columns: all columns of the class.
    ///   - column: the position of the column; `nil` counts every cluster as if it had none.
    /// - Complexity: O(rows x height) if a default has text, otherwise O(columns).
    func defaultByteCount(
        _ keys: some Sequence<ObjectKey>, _ columns: [ColumnSchema], setting column: Int? = nil
    ) -> Int {
        let hasText = columns.contains {
            $0.defaultValue.textByteCount > TextCell.maximumInlineByteCount
        }
        if !hasText { return 0 }
        var byteCount = 0
        var last: UInt64?
        for key in keys {
            let base = Table.base(key.rawValue)
            if base == last { continue }
            last = base
            guard let cluster = cluster(containing: base) else { continue }
            let slotCount = column == nil ? 0 : cluster.slotCount
            if let column, column < slotCount { continue }
            for column in columns[slotCount...] {
                byteCount += cluster.byteCount(ofDefault: column.defaultValue)
            }
        }
        return byteCount
    }
}

extension Table {
    /// Returns the bytes of text that the rows have in a string column.
    ///
    /// - Complexity: O(n), without reading texts.
    func textByteCount(of column: ColumnKey, _ defaultValue: Value) -> Int {
        var byteCount = 0
        forEachPlace { cluster, row in
            if column.index >= cluster.slotCount {
                byteCount += defaultValue.textByteCount
            } else if !cluster.isNull(row, column.index) {
                byteCount += TextCell(cluster.rows(column.index) + row &* 16).length
            }
            return true
        }
        return byteCount
    }
}

extension Cluster {
    /// Returns the bytes of text stored for a default, as `addingSlots` stores it.
    fileprivate func byteCount(ofDefault value: Value) -> Int {
        let count = value.textByteCount
        if count <= TextCell.maximumInlineByteCount || liveCount == 0 { return 0 }
        return count > TextCell.maximumTextByteCount ? count * liveCount : count
    }
}

extension Value {
    /// The bytes of a string or data; 0 for other values.
    fileprivate var textByteCount: Int {
        switch self {
        case .string(let string): string.utf8.count
        case .data(let bytes), .any(let bytes): bytes.count
        default: 0
        }
    }
}

extension DatabaseSchema {
    /// The number of classes, columns and lists.
    var partCount: Int { tables.reduce(0) { $0 + 1 + $1.columns.count + $1.lists.count } }
}

/// The remaining budget for applying a record.
struct RecordBudget {
    private var schemaWorkLeft = Limits.maximumRecordSchemaWork
    private var textBytesLeft = Limits.maximumRecordTextByteCount
    private var defaultBytesLeft = Limits.maximumRecordDefaultByteCount
    private var skippedCellsLeft = Limits.maximumRecordSkippedCellCount
    /// The `DatabaseSchema.partCount`, or `nil` before the first change.
    private var partCount: Int?

    /// Charges a schema change that adds `parts` parts. Returns false if the budget is exceeded.
    ///
    /// - Parameter indexWork: The cost of the indexes that it adds.
    mutating func chargeSchemaChange(
        _ schema: DatabaseSchema, adding parts: Int, indexWork: Int = 0
    ) -> Bool {
        let count = partCount ?? schema.partCount
        schemaWorkLeft -= count + indexWork
        partCount = count + parts
        return schemaWorkLeft >= 0
    }

    /// Charges the values of a column. Returns false if the budget is exceeded.
    mutating func charge(_ values: [Value], of type: ValueType) -> Bool {
        guard type.isText else { return true }
        for value in values {
            textBytesLeft -= value.textByteCount
            if textBytesLeft < 0 { return false }
        }
        return true
    }

    /// Charges the text of defaults that are stored. Returns false if the budget is exceeded.
    mutating func chargeDefaults(_ byteCount: Int) -> Bool {
        defaultBytesLeft -= byteCount
        return defaultBytesLeft >= 0
    }

    /// Charges keys that are skipped in their clusters. Returns false if the budget is exceeded.
    mutating func chargeSkipped(_ count: Int, columnCount: Int) -> Bool {
        skippedCellsLeft -= count * columnCount
        return skippedCellsLeft >= 0
    }
}

import RegnumStore

// Limits for the work a record can cause, beyond its size, because a few bytes can describe a lot.
// A transaction that exceeds them commits in bulk, so only a forged record can.

extension CommitRecord {
    /// Returns the cost of adding an index to a class.
    static func indexWork(rowCount: Int) -> Int { rowCount / 8 }

    /// Returns whether applying a transaction's schema changes may cost too much.
    static func isTooMuchWork(
        _ changes: [SchemaChange], _ base: DatabaseRoot, _ schema: DatabaseSchema
    ) -> Bool {
        if changes.isEmpty { return false }
        var work = changes.count * schema.partCount
        for change in changes {
            switch change {
            case .column(let table, _, let definition) where definition.isIndexed:
                work += indexWork(rowCount: base.content.table(table)?.count ?? 0)
            case .index(let table, _):
                work += indexWork(rowCount: base.content.table(table)?.count ?? 0)
            default: break
            }
        }
        return work > Limits.recordSchemaWorkMax
    }
}

extension DatabaseSchema {
    /// The number of classes, columns and lists.
    var partCount: Int { tables.reduce(0) { $0 + 1 + $1.columns.count + $1.lists.count } }
}

/// The remaining budget for applying a record.
struct RecordBudget {
    private var schemaWorkLeft = Limits.recordSchemaWorkMax
    private var textBytesLeft = Limits.recordTextByteCountMax
    /// The `DatabaseSchema.partCount`, or `nil` before the first change.
    private var partCount: Int?

    /// Charges a schema change that adds `parts` parts. Returns false if the budget is exceeded.
    mutating func takeSchemaChange(
        _ schema: DatabaseSchema, adding parts: Int, indexedRowCount: Int = 0
    ) -> Bool {
        let count = partCount ?? schema.partCount
        schemaWorkLeft -= count + CommitRecord.indexWork(rowCount: indexedRowCount)
        partCount = count + parts
        return schemaWorkLeft >= 0
    }

    /// Charges the values of a column. Returns false if the budget is exceeded.
    mutating func take(_ values: [Value], of type: ValueType) -> Bool {
        guard type.isText else { return true }
        for value in values {
            switch value {
            case .string(let string): textBytesLeft -= string.utf8.count
            case .data(let bytes), .any(let bytes): textBytesLeft -= bytes.count
            default: break
            }
            if textBytesLeft < 0 { return false }
        }
        return true
    }
}

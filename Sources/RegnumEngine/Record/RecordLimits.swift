import RegnumStore

// What a record may make its readers do, besides its size: a few bytes can stand for many. A
// transaction beyond these limits commits in bulk, so that no honest record meets them.

extension CommitRecord {
    /// How much adding an index to a class costs.
    static func indexWork(rowCount: Int) -> Int { rowCount / 8 }

    /// Whether what a transaction does to the schema may cost a reader too much.
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
    /// Classes, columns and lists.
    var partCount: Int { tables.reduce(0) { $0 + 1 + $1.columns.count + $1.lists.count } }
}

/// What a reader may still do for a record.
struct RecordBudget {
    private var schemaWorkLeft = Limits.recordSchemaWorkMax
    private var textBytesLeft = Limits.recordTextByteCountMax
    /// `DatabaseSchema.partCount`, nil until the first change.
    private var partCount: Int?

    /// Takes a change of the schema, which adds that many parts, into account; false: too much.
    mutating func takeSchemaChange(
        _ schema: DatabaseSchema, adding parts: Int, indexedRowCount: Int = 0
    ) -> Bool {
        let count = partCount ?? schema.partCount
        schemaWorkLeft -= count + CommitRecord.indexWork(rowCount: indexedRowCount)
        partCount = count + parts
        return schemaWorkLeft >= 0
    }

    /// Takes the values of a column into account; false: too much.
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

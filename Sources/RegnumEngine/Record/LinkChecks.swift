import RegnumStore

/// Checks that after a record all links refer to existing rows. Links and deletions are collected
/// while its operations are applied, in any order, and checked at the end.
struct LinkChecks {
    private var linked: [TableKey: [UInt64]] = [:]
    private var deleted: [TableKey: [ObjectKey]] = [:]

    /// Records the values that a column is set to.
    mutating func note(_ values: [Value], of column: ColumnSchema) {
        if column.type == .any {
            for value in values {
                guard case .link(let table, let row)? = value.anyContent else { continue }
                linked[table, default: []].append(row.rawValue)
            }
        }
        guard let target = column.linkTarget else { return }
        linked[target, default: []].append(contentsOf: values.compactMap(\.linkedRow))
    }

    mutating func noteDeleted(
        _ keys: [ObjectKey], of table: TableKey, _ schema: DatabaseSchema
    ) {
        let relations = schema.relations[table.index]
        if !relations.incomingLinks.isEmpty || !relations.incomingAny.isEmpty {
            deleted[table] = keys
        }
    }

    /// Checks the recorded links.
    ///
    /// - Complexity: O(log n) for each link that was set, and for each deleted row of a class that
    ///   can be linked to.
    func check(_ content: DatabaseContent, _ reader: RecordReader) throws(StoreError) {
        for (table, rows) in linked {
            for row in rows where !(content.table(table)?.contains(row) ?? false) {
                throw reader.damaged("it links to a row that does not exist")
            }
        }
        if content.mayBeMisread { return }  // a link that was set to null may be left
        for (table, keys) in deleted {
            for place in content.schema.relations[table.index].incomingLinks {
                guard let index = content.index(place.table, place.column) else { continue }
                for key in keys
                where index.firstRow(DatabaseContent.linkKey(key.rawValue)) != nil {
                    throw reader.damaged("it leaves a link to a row that it deletes")
                }
            }
            for place in content.schema.relations[table.index].incomingAny {
                for key in keys where !content.anyOrigins(table, key.rawValue, place).isEmpty {
                    throw reader.damaged("it leaves a link to a row that it deletes")
                }
            }
        }
    }
}

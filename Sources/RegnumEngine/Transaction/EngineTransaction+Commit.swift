package import RegnumStore

/// The largest body of a COMMIT record.
package let recordBodyByteCountMax = 4 << 20

extension EngineTransaction {
    /// Ends the transaction: encodes its record and makes the root to publish.
    ///
    /// After it the transaction can be read, and not be changed. A transaction that throws here
    /// is as it was before.
    ///
    /// - Parameters:
    ///   - timestampMicroseconds: wall clock time, microseconds since 1970, for the record.
    ///   - bodyByteCountMax: the most bytes that the body may have.
    ///
    /// Throws `transactionTooLarge` if the body would be larger than that, or its rows would have
    /// more than `recordCellCountMax` values.
    /// - Complexity: O(changes log n).
    package func commit(
        timestampMicroseconds: Int64, bodyByteCountMax: Int = recordBodyByteCountMax
    ) throws(StoreError) -> Commit {
        precondition(phase == .open, "A transaction can be committed once.")
        let deltas = makeDeltas()
        var cellCount = 0
        for delta in deltas {
            let columnCount = content.schema.tables[delta.table.index].columns.count
            cellCount += delta.inserted.count * (columnCount + CommitRecord.cellsPerRow)
        }
        guard cellCount <= CommitRecord.cellCountMax else {
            throw StoreError(
                .transactionTooLarge,
                "This transaction inserts rows that take \(cellCount) cells of a record; a record "
                    + "has at most \(CommitRecord.cellCountMax). Split it into smaller ones.")
        }
        let body = CommitRecord.encode(
            self, deltas: deltas, timestampMicroseconds: timestampMicroseconds)
        guard body.count <= bodyByteCountMax else {
            throw StoreError(
                .transactionTooLarge,
                "This transaction takes a record of \(body.count) bytes; a record has at most "
                    + "\(bodyByteCountMax). Split it into smaller ones.")
        }
        willEdit()
        for index in changes.indices { settleNextKey(index) }
        var tables: [TableKey: TableDelta] = [:]
        for delta in deltas { tables[delta.table] = delta }
        let summary = CommitSummary(version: version, origin: origin, tables: tables)
        return Commit(body: body, root: finish(), summary: summary)
    }

    /// The net effect per class, by table key.
    private func makeDeltas() -> [TableDelta] {
        var deltas: [TableDelta] = []
        for index in changes.indices where hasChanges(index) {
            let change = changes[index]
            var inserted: [ObjectKey] = []
            if change.insertedCount > 0 {
                inserted.reserveCapacity(change.insertedCount)
                content[index].forEachKey(from: change.firstNewKey) { key in
                    inserted.append(ObjectKey(rawValue: key))
                    return true
                }
            }
            var modified: [ModifiedRow] = []
            if !change.modified.isEmpty {
                modified.reserveCapacity(change.modified.count)
                for (key, columns) in change.modified {
                    modified.append(ModifiedRow(key: key, columns: columns))
                }
                modified.sort { $0.key < $1.key }
            }
            let schema = content.schema.tables[index]
            deltas.append(
                TableDelta(
                    table: schema.key, tableName: schema.name, inserted: inserted,
                    deleted: change.deleted.sorted(), modified: modified))
        }
        return deltas
    }

    /// Takes back the keys after the last row that is published, as `apply` sees them: nobody has
    /// seen the rows that had them.
    private func settleNextKey(_ index: Int) {
        let change = changes[index]
        let table = content[index]
        let next =
            change.insertedCount > 0 ? table.key(at: table.count - 1) + 1 : change.firstNewKey
        guard next != table.nextKey else { return }
        var own = content.ownTable(index, edit.nodes)
        own.settle(nextKey: next, edit: edit.nodes)
    }
}

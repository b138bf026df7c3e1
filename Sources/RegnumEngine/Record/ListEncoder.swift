import RegnumStore

/// Encodes the list operations of a record.
struct ListEncoder {
    private var lastKey: UInt64 = 0

    /// Encodes the list changes of one class.
    mutating func encode(
        _ transaction: EngineTransaction, _ delta: TableDelta, _ writer: inout RecordWriter
    ) {
        let table = transaction.content.schema.tables[delta.table.index]
        for list in table.lists {
            var rows: [ObjectKey] = []
            var changes: [[ListSplice]] = []
            for change in delta.listChanges[list.key] ?? [] {
                let reported = withoutDeleted(change, transaction, delta.table, list)
                if reported.isEmpty { continue }
                rows.append(change.row)
                changes.append(reported)
            }
            check(changes, transaction.content, table, list)
            let elements = transaction.content.elements(delta.table, list.key)
            if elements.tree.count > 0 {
                checkNewOwners(transaction, delta, list)
                for row in delta.inserted {
                    let keys = elements.elements(row.rawValue)
                    if keys.isEmpty { continue }
                    rows.append(row)
                    changes.append([
                        ListSplice(
                            position: 0, removedCount: 0,
                            inserted: keys.map { ObjectKey(rawValue: $0) })
                    ])
                }
            }
            if rows.isEmpty { continue }
            CommitRecord.begin(.lists, table.key, &writer)
            writer.varint(UInt64(list.key.rawValue))
            KeyRuns.encode(rows, &writer)
            for splices in changes { encode(splices, &writer) }
        }
    }

    /// Reports elements that don't exist among those inserted into the lists of older rows, as
    /// moving one in a forged list would insert them: no reader would accept the record.
    private func check(
        _ changes: [[ListSplice]], _ content: DatabaseContent, _ table: TableSchema,
        _ list: ListSchema
    ) {
        let target = content[list.target.index]
        for splice in changes.joined()
        where !splice.inserted.allSatisfy({ target.contains($0.rawValue) }) {
            return content.report(
                StoreError(
                    .invalidDatabase,
                    "The list \(table.name).\(list.name) has an element that does not exist.",
                    className: table.name, property: list.name))
        }
    }

    /// Reports elements that the base has for rows that it doesn't have, as only a forged file can.
    /// The record would add them to the lists of new rows once more.
    private func checkNewOwners(
        _ transaction: EngineTransaction, _ delta: TableDelta, _ list: ListSchema
    ) {
        guard let first = delta.inserted.first else { return }
        let before = transaction.base.content.elements(delta.table, list.key)
        if before.start(first.rawValue) == before.tree.count { return }
        transaction.content.report(
            StoreError(
                .invalidDatabase,
                "The list \(delta.tableName).\(list.name) has elements of objects that do not "
                    + "exist.", className: delta.tableName, property: list.name))
    }

    private mutating func encode(_ splices: [ListSplice], _ writer: inout RecordWriter) {
        writer.varint(splices.count)
        var end = 0
        for splice in splices {
            writer.varint(splice.position - end)
            writer.varint(splice.removedCount)
            writer.varint(splice.inserted.count)
            end = splice.position + splice.removedCount
            for key in splice.inserted {
                writer.zigzag(Int64(bitPattern: key.rawValue &- lastKey))
                lastKey = key.rawValue
            }
        }
    }

    /// Returns a list change relative to the list without the rows that the transaction deleted.
    /// The original change removes all of these.
    private func withoutDeleted(
        _ change: ListChange, _ transaction: EngineTransaction, _ table: TableKey,
        _ list: ListSchema
    ) -> [ListSplice] {
        let splices = change.splices ?? []
        guard !transaction.changes[list.target.index].deleted.isEmpty else { return splices }
        let before = transaction.base.content.elements(table, list.key)
        let target = transaction.content[list.target.index]
        // In a forged file, elements may refer to rows that didn't exist before either.
        let former = transaction.base.content.table(list.target)
        var reported: [ListSplice] = []
        var totalDeletedCount = 0
        for splice in splices {
            let end = splice.position + splice.removedCount
            let deletedCount = before.elements(change.row.rawValue, splice.position..<end)
                .count { !target.contains($0) && former?.contains($0) == true }
            let rest = ListSplice(
                position: splice.position - totalDeletedCount,
                removedCount: splice.removedCount - deletedCount,
                inserted: splice.inserted)
            totalDeletedCount += deletedCount
            if rest.removedCount > 0 || !rest.inserted.isEmpty { reported.append(rest) }
        }
        return reported
    }
}

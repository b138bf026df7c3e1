import RegnumStore

/// The content of a damaged realm, as far as it can be read: checkpoints, and the changes that the
/// log has since the oldest of them.
///
/// A value that the log doesn't change is the same in all checkpoints, so any of them can supply
/// it. What no checkpoint can supply may still be in an index.
///
/// Confined to the thread that salvages.
final class SalvageSource {
    let changes: LoggedChanges
    /// The changes before the oldest checkpoint, since the last gap in them. What they have is
    /// what the checkpoint had.
    private let earlier: LoggedChanges?
    /// The checkpoints, newest first; none of them is older than the changes.
    private let bases: [DatabaseRoot]
    private var lists: [ListPlace: [StoredLists?]] = [:]
    private var recovered: [LinkPlace: [UInt64: Value]] = [:]
    /// The inserted rows that the newest checkpoint doesn't have, ascending.
    private var inserted: [TableKey: [UInt64]] = [:]

    init(
        _ bases: [DatabaseRoot], _ changes: LoggedChanges, earlier: LoggedChanges? = nil
    ) {
        self.bases = bases
        self.changes = changes
        self.earlier = earlier
    }

    var schema: DatabaseSchema { changes.schema }

    /// Returns the rows of a class from a key on, ascending, and the key from which to continue;
    /// `nil` at the end.
    func rows(
        _ table: TableKey, from key: UInt64, limit: Int
    ) -> (keys: [UInt64], next: UInt64?) {
        let stored =
            bases.first?.keys(table, from: ObjectKey(rawValue: key), limit: limit) ?? []
        let deleted = changes[table].deleted
        var keys = stored.map(\.rawValue)
        if deleted.count > 0 { keys = keys.filter { deleted[$0] == nil } }
        if stored.count == limit { return (keys, stored[limit - 1].rawValue + 1) }
        let new = newRows(table)
        let start = firstIndex(below: new.count) { new[$0] >= key }
        let part = new[start...].prefix(max(limit - stored.count, 1))
        keys += part
        return (keys, part.endIndex < new.count ? new[part.endIndex] : nil)
    }

    private func newRows(_ table: TableKey) -> [UInt64] {
        if let known = inserted[table] { return known }
        let nextKey = bases.first?.content.table(table)?.nextKey ?? 0
        var rows: [UInt64] = []
        for (key, row) in changes[table].rows where key >= nextKey {
            if case .inserted = row { rows.append(key) }
        }
        rows.sort()
        inserted[table] = rows
        return rows
    }

    // MARK: Values

    /// Returns a value of a row, or `nil` if it can't be read.
    func value(_ table: TableKey, _ row: UInt64, _ column: ColumnSchema) -> Value? {
        if let value = changes.value(table, row, column) { return value }
        for base in bases {
            guard let (cluster, place) = base.content.table(table)?.place(row) else { continue }
            let (value, damage) = DamageWatch.run { cluster.value(place, column) }
            if damage == nil { return value }
            if let value = cluster.valueOutsideText(place, column) { return value }
        }
        return recoveredValues(table, column)[row] ?? earlierValue(table, row, column)
    }

    private func earlierValue(
        _ table: TableKey, _ row: UInt64, _ column: ColumnSchema
    ) -> Value? {
        // Without the record that added a class, later ones may seem to be of another class.
        guard let earlier, table.index < earlier.schema.tables.count,
            earlier.schema.tables[table.index].name == schema.tables[table.index].name
        else { return nil }
        return earlier.value(table, row, column)
    }

    /// Returns the primary key of a row as text; for a class without one, the number of the row.
    /// `nil` if it can't be read.
    func keyText(_ table: TableSchema, _ row: UInt64) -> String? {
        guard let key = table.primaryKey else { return String(row) }
        return value(table.key, row, table.columns[key.index])?.keyText
    }

    /// Returns the values that only the index of a column has, by row. Of other types, an index has
    /// hashes.
    private func recoveredValues(_ table: TableKey, _ column: ColumnSchema) -> [UInt64: Value] {
        guard column.hasIndex, column.type == .int || column.type == .bool else { return [:] }
        let place = LinkPlace(table: table, column: column.key)
        if let known = recovered[place] { return known }
        var values: [UInt64: Value] = [:]
        for base in bases {
            let damaged = base.clusters(table, withDamagedChunk: column.key)
            if damaged.isEmpty { continue }
            base.content.index(table, column.key)?.forEachLeaf { child in
                let entries = IndexLeaf.entries(child, base.content.context.source) ?? []
                for (key, row) in entries where damaged.contains(Table.base(row)) {
                    values[row] =
                        column.type == .bool
                        ? .bool(key != 0) : .int(Int64(bitPattern: key ^ (1 << 63)))
                }
            }
        }
        recovered[place] = values
        return values
    }

    // MARK: Lists

    /// Returns a list of a row, without rows that were deleted.
    func list(_ table: TableKey, _ row: UInt64, _ list: ListSchema) -> StoredLists.Elements {
        let key = RowList(list: list.key, row: ObjectKey(rawValue: row))
        var (found, version) = storedList(table, row, list)
        let isOwned = schema.tables[list.target.index].kind.isOwned
        if found.problem == .unordered, list.kind == .set, !isOwned {
            found = StoredLists.Elements(rows: found.rows.sorted())  // objects, by their keys
        }
        let all = changes[table].lists[key] ?? []
        let start = firstIndex(below: all.count) { all[$0].version > version }
        found.apply(all[start...], deleted: changes[list.target].deleted, isOwned: isOwned)
        if changes[table].outdatedLists.contains(key) { found.problem = .outdated }
        return found
    }

    /// Returns a list in the newest checkpoint that has all of it, or else as far as one has it;
    /// and the version of the checkpoint.
    private func storedList(
        _ table: TableKey, _ row: UInt64, _ list: ListSchema
    ) -> (StoredLists.Elements, version: UInt64) {
        if case .inserted(let version, _, _)? = changes[table].rows[row] {
            return (StoredLists.Elements(), version - 1)
        }
        let place = ListPlace(table: table, list: list.key)
        if lists[place] == nil {
            lists[place] = bases.map { base in
                base.content.listSchema(table, list.key) == nil ? nil : StoredLists(base, place)
            }
        }
        var best: (StoredLists.Elements, version: UInt64)?
        for (base, stored) in zip(bases, lists[place] ?? []) {
            guard base.contains(table, ObjectKey(rawValue: row)) else { continue }
            let found = stored?.elements(of: row) ?? StoredLists.Elements()
            if found.problem == nil { return (found, base.version) }
            let isBetter = best?.0.problem == .missing && found.problem == .unordered
            if best == nil || isBetter { best = (found, base.version) }
        }
        return best ?? (StoredLists.Elements(), 0)
    }
}

extension DatabaseRoot {
    /// Returns the first keys of the clusters in which the values of a column can't be read.
    ///
    /// - Complexity: reads the column.
    fileprivate func clusters(
        _ table: TableKey, withDamagedChunk column: ColumnKey
    ) -> Set<UInt64> {
        var keys: Set<UInt64> = []
        content.table(table)?.forEachCluster { cluster in
            guard column.index < cluster.slotCount else { return true }
            let (_, damage) = DamageWatch.run { _ = cluster.chunk(column.index) }
            if damage != nil { keys.insert(cluster.firstKey) }
            return true
        }
        return keys
    }
}

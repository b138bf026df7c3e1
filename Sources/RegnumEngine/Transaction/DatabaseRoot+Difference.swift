extension MergedDelta {
    /// Computes the delta between two versions of a class from their trees alone, skipping shared
    /// clusters and shared leaves of lists. Self-assignments aren't detected: a modified row's
    /// columns are those whose values differ.
    ///
    /// - Complexity: O(clusters that differ), each of up to 1,024 rows; O(n) between roots that
    ///   share none.
    package init(from old: DatabaseRoot, to new: DatabaseRoot, tableName: String) {
        self.init()
        guard let schema = new.schema.table(named: tableName) else { return }
        self.init(from: old, to: new, schema, schema.columns)
    }

    /// Computes the delta of a class.
    ///
    /// - Parameters:
    ///   - columns: The columns to compare: those that both versions have with the same type, and
    ///     those that the older version lacks.
    ///   - shareLeaves: Whether the versions may share leaves of lists. If false, all owners are
    ///     compared.
    fileprivate init(
        from old: DatabaseRoot, to new: DatabaseRoot, _ schema: TableSchema,
        _ columns: [ColumnSchema], shareLeaves: Bool = true
    ) {
        var difference = RowDifference(
            columns: columns, old: old.content.table(schema.key),
            new: new.content[schema.key.index])
        difference.run()
        self = difference.delta
        listChanges = difference.listChanges(schema, old, shareLeaves: shareLeaves)
    }
}

extension CommitSummary {
    /// Computes the changes between two versions of the same schema, or before and after a
    /// migration, from their trees alone. Columns and lists that were dropped or changed their type
    /// don't count.
    ///
    /// - Complexity: O(n), where the two share nothing.
    init(from old: DatabaseRoot, to new: DatabaseRoot, origin: String?) {
        var deltas: [TableKey: MergedDelta] = [:]
        for schema in new.schema.tables {
            let isOld = schema.key.index < old.schema.tables.count
            let known = isOld ? old.schema.tables[schema.key.index].columns : []
            let columns = schema.columns.filter { column in
                guard !column.isDropped, column.key.index < known.count else {
                    return !column.isDropped
                }
                let before = known[column.key.index]
                return before.type == column.type && before.isOptional == column.isOptional
                    && before.meaning == column.meaning
            }
            deltas[schema.key] = MergedDelta(
                from: old, to: new, schema, columns, shareLeaves: false)
        }
        var tables: [TableKey: TableDelta] = [:]
        for schema in new.schema.tables {
            guard var delta = deltas[schema.key] else { continue }
            delta.addChangedItems(of: schema, in: new) { deltas[$0.key]?.modified ?? [] }
            if delta.isEmpty { continue }
            tables[schema.key] = TableDelta(
                table: schema.key,
                tableName: new.schema.nameInSummary(schema, since: old.schema),
                inserted: delta.inserted, deleted: delta.deleted, modified: delta.modified,
                listChanges: delta.listChanges)
        }
        self.init(version: new.version, origin: origin, tables: tables)
    }
}

extension MergedDelta {
    /// Adds the columns of values of any type whose nested lists or dictionaries changed. In such a
    /// row the value itself is unchanged and the row was only touched.
    ///
    /// - Parameter modifiedItems: Returns the modified rows of a hidden class.
    ///
    /// - Complexity: O(modified items), each with a lookup of O(log n).
    mutating func addChangedItems(
        of table: TableSchema, in new: DatabaseRoot, modifiedItems: (TableSchema) -> [ModifiedRow]
    ) {
        // For an element that is itself such a value, being touched is enough. A dropped class of
        // elements isn't marked as one any longer, but still contains itself.
        if table.kind == .elements || table.isDropped { return }
        for list in table.lists {
            guard let column = table.column(ofItems: list) else { continue }
            var rows = Set(listChanges[list.key, default: []].map(\.row))
            let owners = new.content[table.key.index].backlinks(list.key.index)
            for item in modifiedItems(new.schema.tables[list.target.index]) {
                owners.forEachRepeatedRow(item.key.rawValue) { owner in
                    rows.insert(ObjectKey(rawValue: owner))
                    return true
                }
            }
            insert(column.key, intoModified: rows)
        }
    }
}

/// Compares two versions of a table, cluster by cluster.
private struct RowDifference {
    let columns: [ColumnSchema]
    let old: Table?
    let new: Table
    /// The changed rows.
    var delta = MergedDelta()

    mutating func run() {
        compare(old?.rootWord ?? 0, old?.height ?? 0, new.rootWord, new.height, 0)
    }

    /// Compares two nodes of the cluster trees (0 for none) with the same first key. Skips shared
    /// subtrees, and keys that neither version has.
    private mutating func compare(
        _ before: UInt, _ beforeLevel: Int, _ after: UInt, _ afterLevel: Int, _ firstKey: UInt64
    ) {
        if before == after { return }
        let level = max(before == 0 ? 0 : beforeLevel, after == 0 ? 0 : afterLevel)
        guard level > 0 else {
            return compare(
                Node(word: before).map(Cluster.init), Node(word: after).map(Cluster.init), firstKey)
        }
        for index in 0..<32 {
            // A lower tree corresponds to the first child of a higher one.
            let old = child(before, beforeLevel, level, index)
            let new = child(after, afterLevel, level, index)
            compare(
                old, min(beforeLevel, level - 1), new, min(afterLevel, level - 1),
                firstKey &+ UInt64(index) << UInt64(5 + 5 * level))
        }
    }

    private func child(_ word: UInt, _ ownLevel: Int, _ level: Int, _ index: Int) -> UInt {
        if ownLevel < level { return index == 0 ? word : 0 }
        guard let node = Node(word: word) else { return 0 }
        return ClusterInner(node).child(index)
    }

    /// Returns the list changes of rows that exist in both versions, except of lists that were
    /// dropped.
    func listChanges(
        _ schema: TableSchema, _ old: DatabaseRoot, shareLeaves: Bool
    ) -> [ListKey: [ListChange]] {
        guard let before = self.old else { return [:] }
        var result: [ListKey: [ListChange]] = [:]
        for list in schema.lists where !list.isDropped {
            let oldLists = old.content.elements(schema.key, list.key)
            let newLists = self.new.elements(list.key.index)
            var changes: [ListChange] = []
            for owner in SequenceTree.changedOwners(oldLists, newLists)
            where before.contains(owner) && self.new.contains(owner)
                && (shareLeaves || oldLists.elements(owner) != newLists.elements(owner))
            {
                let splices = SequenceTree.difference(oldLists, newLists, owner)
                if splices.isEmpty { continue }
                changes.append(ListChange(row: ObjectKey(rawValue: owner), splices: splices))
            }
            if !changes.isEmpty { result[list.key] = changes }
        }
        return result
    }

    private mutating func compare(_ before: Cluster?, _ after: Cluster?, _ firstKey: UInt64) {
        for word in 0..<wordsPerCluster {
            let oldLive = before?.live[word] ?? 0
            let newLive = after?.live[word] ?? 0
            var bits = oldLive | newLive
            while bits != 0 {
                let bit = bits.trailingZeroBitCount
                bits &= bits - 1
                let place = 64 * word + bit
                let key = ObjectKey(rawValue: firstKey + UInt64(place))
                if oldLive >> UInt64(bit) & 1 == 0 {
                    delta.inserted.append(key)
                } else if newLive >> UInt64(bit) & 1 == 0 {
                    delta.deleted.append(key)
                } else if let before, let after {
                    compareRow(before, after, place, key)
                }
            }
        }
    }

    private mutating func compareRow(
        _ before: Cluster, _ after: Cluster, _ place: Int, _ key: ObjectKey
    ) {
        guard before.contentVersion(place) != after.contentVersion(place) else { return }
        var changed = ColumnSet()
        for column in columns
        where before.value(place, column) != after.value(place, column) {
            changed.insert(column.key)
        }
        delta.modified.append(ModifiedRow(key: key, columns: changed))
    }
}

extension MergedDelta {
    /// The delta between two versions of a class, from their trees alone: nodes that both share are
    /// skipped. Knows no self-assignments: a modified row's columns are those whose values differ.
    ///
    /// - Complexity: O(changes x log n).
    package init(from old: DatabaseRoot, to new: DatabaseRoot, tableName: String) {
        guard let schema = new.schema.table(named: tableName), let state = new.state(schema.key)
        else {
            self.init()
            return
        }
        let oldRows = old.state(schema.key)?.rows ?? SortedTree(order: RowOrder())
        var inserted: [ObjectKey] = []
        var deleted: [ObjectKey] = []
        var modified: [ModifiedRow] = []
        SortedTree.forEachDifference(oldRows, state.rows) { before, after in
            if let before, let after {
                guard before.row.contentVersion != after.row.contentVersion else { return }
                var columns = ColumnSet()
                for column in schema.columns
                where before.row.value(column) != after.row.value(column) {
                    columns.insert(column.key)
                }
                modified.append(
                    ModifiedRow(key: ObjectKey(rawValue: after.key), columns: columns))
            } else if let before {
                deleted.append(ObjectKey(rawValue: before.key))
            } else if let after {
                inserted.append(ObjectKey(rawValue: after.key))
            }
        }
        self.init(inserted: inserted, deleted: deleted, modified: modified)
    }
}

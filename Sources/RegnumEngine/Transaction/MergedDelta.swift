/// The net changes that consecutive commits make to one class.
///
/// An insertion and a later deletion cancel out; a row inserted and then modified is inserted; a
/// row modified and then deleted is deleted; the columns of several modifications are united.
/// Changes of one list are composed. Lists of inserted and deleted rows aren't reported.
package struct MergedDelta: Sendable, Hashable {
    /// Ascending, as are the others. Each row is in at most one of the arrays.
    package internal(set) var inserted: [ObjectKey] = []
    package internal(set) var deleted: [ObjectKey] = []
    package internal(set) var modified: [ModifiedRow] = []
    /// Changed lists of rows that exist before and after, as in `TableDelta`.
    package internal(set) var listChanges: [ListKey: [ListChange]] = [:]

    /// Creates an empty delta.
    package init() {}

    /// Merges the summaries of consecutive commits, in commit order, for a class. Empty if the
    /// class doesn't exist.
    ///
    /// - Complexity: O(changes), plus sorting them if there is more than one summary.
    init(_ summaries: some Sequence<CommitSummary>, _ table: TableKey?) {
        self.init()
        guard let table else { return }
        self.init(summaries.lazy.compactMap { $0.tables[table] })
    }

    /// Merges deltas of one class, in commit order.
    package init(_ deltas: some Sequence<TableDelta>) {
        var iterator = deltas.makeIterator()
        guard let first = iterator.next() else { return }
        guard let second = iterator.next() else {
            inserted = first.inserted
            deleted = first.deleted
            modified = first.modified
            listChanges = first.listChanges
            return
        }
        var lists = MergedLists()
        var states: [ObjectKey: State] = [:]
        MergedDelta.merge(first, into: &states, &lists)
        MergedDelta.merge(second, into: &states, &lists)
        while let next = iterator.next() { MergedDelta.merge(next, into: &states, &lists) }
        listChanges = lists.changes
        for (key, state) in states {
            switch state {
            case .inserted: inserted.append(key)
            case .deleted: deleted.append(key)
            case .modified(let columns): modified.append(ModifiedRow(key: key, columns: columns))
            }
        }
        inserted.sort()
        deleted.sort()
        modified.sort { $0.key < $1.key }
    }

    /// Adds rows that aren't in the delta as modified, without columns.
    ///
    /// - Complexity: O(rows of the delta).
    package mutating func addModified(_ rows: some Sequence<ObjectKey>) {
        var new = Set(rows)
        if new.isEmpty { return }
        for key in inserted { new.remove(key) }
        for key in deleted { new.remove(key) }
        for row in modified { new.remove(row.key) }
        modified += new.map { ModifiedRow(key: $0, columns: ColumnSet()) }
        modified.sort { $0.key < $1.key }
    }

    /// Adds a column to modified rows. Rows that aren't modified are ignored.
    mutating func insert(_ column: ColumnKey, intoModified rows: Set<ObjectKey>) {
        if rows.isEmpty { return }
        for index in modified.indices where rows.contains(modified[index].key) {
            modified[index].columns.insert(column)
        }
    }

    /// Whether nothing changed.
    package var isEmpty: Bool {
        inserted.isEmpty && deleted.isEmpty && modified.isEmpty && listChanges.isEmpty
    }

    private enum State {
        case inserted, deleted
        case modified(ColumnSet)
    }

    private static func merge(
        _ delta: TableDelta, into states: inout [ObjectKey: State], _ lists: inout MergedLists
    ) {
        for key in delta.inserted { states[key] = .inserted }
        for row in delta.modified {
            switch states[row.key] {
            case .inserted, .deleted: continue
            case .modified(var columns):
                columns.formUnion(row.columns)
                states[row.key] = .modified(columns)
            case nil: states[row.key] = .modified(row.columns)
            }
        }
        for (list, changes) in delta.listChanges {
            for change in changes {
                if case .inserted = states[change.row] { continue }
                lists.add(change, list)
            }
        }
        for key in delta.deleted {
            lists.remove(key)
            if case .inserted = states[key] {
                states[key] = nil
            } else {
                states[key] = .deleted
            }
        }
    }
}

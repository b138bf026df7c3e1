internal import RegnumStore

/// The known marks of a step. Guarded by the lock of `VersionStep.foundMarks`.
struct FoundMarks {
    struct Key: Hashable {
        let table: TableKey
        let filter: ChangeFilter
    }

    /// The marks to group, and the column of the route to group them by.
    struct RouteKey: Hashable {
        let marks: Key
        let column: ColumnKey
    }

    var marks: [Key: RowMarks] = [:]
    var routed: [RouteKey: [Value: RowMarks]] = [:]
}

extension VersionStep {
    /// Returns the rows of a class that count as modified by a filter. Rows that the step inserted
    /// or deleted are not included.
    ///
    /// A mark of `.deep` names columns and lists, one of `.paths` names paths. Both are found from
    /// the changed rows backward, through the indexes of the new version.
    ///
    /// - Complexity: O(changed rows that the filter depends on, and rows from which these are
    ///   reached) the first time, each with a lookup of O(log n); then O(1). Streams that share the
    ///   step share the result.
    func marks(_ table: TableSchema, _ filter: ChangeFilter) -> RowMarks {
        let key = FoundMarks.Key(table: table.key, filter: filter)
        if let known = foundMarks.withLock({ $0.marks[key] }) { return known }
        let found: RowMarks
        switch filter {
        case .deep(let depth):
            found = depth > 0 ? deepMarks(table, depth) ?? RowMarks() : findOwnMarks(table)
        case .paths(let paths):
            var searches = searches(table, paths)
            found = pathMarks(table, &searches) ?? RowMarks()
        }
        foundMarks.withLock { $0.marks[key] = found }
        return found
    }

    /// Returns the rows of which a property was set or a list changed, by insertions, removals and
    /// moves of elements or, in a list of values, by setting an element.
    func ownMarks(_ table: TableSchema) -> RowMarks { marks(table, .deep(0)) }

    private func findOwnMarks(_ table: TableSchema) -> RowMarks {
        let delta = delta(table.name)
        var rows: [ObjectKey: RowMarks.Mark] = [:]
        rows.reserveCapacity(delta.modified.count)
        for row in delta.modified { rows[row.key, default: .init()].columns = row.columns }
        for (list, changes) in delta.listChanges {
            for change in changes { rows[change.row, default: .init()].lists.insert(list) }
        }
        var reached = 0
        forEachOwnerOfSetElements(table) { list, owner in
            reached += 1
            // the owner is as old as the element, which never changes its owner
            rows[owner, default: .init()].lists.insert(list)
        }
        counters.rowsReached.add(reached)
        var marks = RowMarks()
        marks.rows = rows
        return marks
    }

    /// The first key of rows that the step inserted. Keys only increase, and a committed key is
    /// never reused, so rows of the new version from this key on are new.
    func firstInserted(_ table: TableKey) -> UInt64 { old.content.table(table)?.nextKey ?? 0 }
}

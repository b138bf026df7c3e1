internal import RegnumStore

/// What a step knows about modified rows. Guarded by the lock of `VersionStep.foundMarks`.
struct FoundMarks {
    struct Key: Hashable {
        let table: TableKey
        let filter: ChangeFilter
    }

    /// The column of a route.
    struct RouteKey: Hashable {
        let marks: Key
        let column: ColumnKey
    }

    var marks: [Key: RowMarks] = [:]
    var routed: [RouteKey: [Value: RowMarks]] = [:]
}

extension VersionStep {
    /// Which rows of a class count as modified by a filter. Rows that were inserted in the step are
    /// not among them, and deleted ones are not.
    ///
    /// A mark of `.deep` tells columns and lists, one of `.paths` the paths. Both are found from the
    /// changed rows backwards, through the indexes of the new version.
    ///
    /// - Complexity: O(changed rows of the filter's `dependencies`, and of the rows from which those
    ///   are reached) the first time, each with a look-up of O(log n); then O(1). Streams that share
    ///   the step share the answer.
    package func marks(_ tableName: String, _ filter: ChangeFilter) -> RowMarks {
        guard let table = new.schema.table(named: tableName) else { return RowMarks() }
        return marks(table, filter)
    }

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

    /// Rows of which a property was set or a list changed: elements put in, taken out or moved, or,
    /// in a list of values, set.
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
        for list in table.lists {
            let target = new.schema.tables[list.target.index]
            guard target.kind == .elements else { continue }
            let backlinks = new.content[table.key.index].backlinks(list.key.index)
            for element in self.delta(target.name).modified {
                backlinks.forEachRepeatedRow(element.key.rawValue) { owner in
                    reached += 1
                    // it is as old as the element, which never changes its owner
                    rows[ObjectKey(rawValue: owner), default: .init()].lists.insert(list.key)
                    return true
                }
            }
        }
        counters.rowsReached.add(reached)
        var marks = RowMarks()
        marks.rows = rows
        return marks
    }

    /// Rows of the new version from this key on were inserted in the step: keys rise, and one that was
    /// committed is never given again.
    func firstInserted(_ table: TableKey) -> UInt64 { old.content.table(table)?.nextKey ?? 0 }
}

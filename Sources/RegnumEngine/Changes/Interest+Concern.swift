extension Interest {
    /// Whether a commit concerns the subscription: one of the terms holds, or the schema changed.
    ///
    /// Values are equal as queries have it: -0.0 is 0.0, null is null, NaN is nothing. A property or
    /// list that does not exist holds for no row. ``InterestRoutes`` finds the same for many
    /// subscriptions at once.
    ///
    /// - Parameters:
    ///   - old: the root that the commit was made on.
    ///   - new: the root that it made.
    /// - Complexity: O(rows that changed x log n) for each term.
    package func isConcerned(
        by summary: CommitSummary, from old: DatabaseRoot, to new: DatabaseRoot
    ) -> Bool {
        !new.schema.isSame(as: old.schema) || holds(for: summary, from: old, to: new)
    }

    /// Whether one of the terms holds for a commit, so that its label is told.
    package func holds(
        for summary: CommitSummary, from old: DatabaseRoot, to new: DatabaseRoot
    ) -> Bool {
        terms.contains { term in
            switch term {
            case .all: true
            case .table(let name): summary.delta(tableName: name) != nil
            case .value(let name, let column, let value):
                summary.delta(tableName: name)?.hasRow(with: value, in: column, old, new) ?? false
            case .elements(let name, let owner, let list, let row):
                summary.delta(tableName: name)?.hasElement(of: list, owner, row, old, new) ?? false
            }
        }
    }
}

extension DatabaseSchema {
    /// Whether it has the same classes at the same version.
    ///
    /// - Complexity: O(1) for the same object, else O(properties).
    func isSame(as other: DatabaseSchema) -> Bool {
        self === other || version == other.version && tables == other.tables
    }

    /// The list of that name of the class of that name, if rows of `target` stand in it.
    func listPlace(_ className: String, _ name: String, target: TableKey) -> ListPlace? {
        guard let owner = table(named: className), let list = owner.list(named: name),
            list.target == target
        else { return nil }
        return ListPlace(table: owner.key, list: list.key)
    }
}

extension DatabaseRoot {
    /// Whether a row stands in a list of another row.
    ///
    /// - Complexity: O(log n).
    func isElement(_ row: ObjectKey, of place: ListPlace, _ owner: ObjectKey) -> Bool {
        guard content.listSchema(place.table, place.list) != nil else { return false }
        return content[place.table.index].backlinks(place.list.index)
            .contains(row.rawValue, owner.rawValue)
    }
}

extension TableDelta {
    /// Rows of which a property or list changed, not inserted or deleted ones; some twice.
    var changedRows: some Sequence<ObjectKey> {
        [modified.map(\.key), listChanges.values.flatMap { $0.map(\.row) }].joined()
    }

    fileprivate func hasRow(
        with value: Value, in column: String, _ old: DatabaseRoot, _ new: DatabaseRoot
    ) -> Bool {
        guard let column = new.schema.tables[table.index].column(named: column)?.key else {
            return false
        }
        let isEqual = { (root: DatabaseRoot, row: ObjectKey) in
            guard let stored = root.value(table, row, column) else { return false }
            return Comparison.equal.holds(stored, value)
        }
        return inserted.contains { isEqual(new, $0) } || deleted.contains { isEqual(old, $0) }
            || changedRows.contains { isEqual(old, $0) || isEqual(new, $0) }
    }

    fileprivate func hasElement(
        of list: String, _ className: String, _ owner: ObjectKey, _ old: DatabaseRoot,
        _ new: DatabaseRoot
    ) -> Bool {
        guard let place = new.schema.listPlace(className, list, target: table) else { return false }
        return changedRows.contains { row in
            old.isElement(row, of: place, owner) || new.isElement(row, of: place, owner)
        }
    }
}

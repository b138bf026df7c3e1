extension Interest {
    /// Whether a commit matches one of the terms. Only matching commits contribute their origin.
    ///
    /// Values compare as in queries: -0.0 equals 0.0, null equals null, and NaN equals nothing. A
    /// property or list that doesn't exist matches no row.
    ///
    /// - Parameters:
    ///   - old: the root that the commit was based on.
    ///   - new: the root that the commit produced.
    /// - Complexity: O(changed rows x log n) for each term.
    package func holds(
        for summary: CommitSummary, from old: DatabaseRoot, to new: DatabaseRoot
    ) -> Bool {
        var routes = InterestRoutes()
        routes.insert(SubscriptionEntry(id: 0, { _ in self }, .nothing, start: old))
        var searches = routes.searches(summary)
        for index in searches.indices { searches[index].run(old, new) }
        var isFound = false
        routes.visit(summary, searches) { _ in isFound = true }
        return isFound
    }

    /// Whether the interest may be another one after a commit that doesn't change the schema.
    func mayChange(with summary: CommitSummary) -> Bool {
        source.map { summary.delta(tableName: $0.wrappedValue) != nil } ?? false
    }
}

extension DatabaseSchema {
    /// Whether both have the same classes at the same version.
    ///
    /// - Complexity: O(1) for the same object, else O(properties).
    func isSame(as other: DatabaseSchema) -> Bool {
        self === other || version == other.version && tables == other.tables
    }

    /// Returns the place of a list, by the names of its class and property, if its elements are
    /// rows of `target`.
    func listPlace(_ className: String, _ name: String, target: TableKey) -> ListPlace? {
        guard let owner = table(named: className), let list = owner.list(named: name),
            list.target == target
        else { return nil }
        return ListPlace(table: owner.key, list: list.key)
    }
}

extension DatabaseRoot {
    /// Whether a row is an element of another row's list.
    ///
    /// - Complexity: O(log n).
    func isElement(_ row: ObjectKey, of place: ListPlace, _ owner: ObjectKey) -> Bool {
        guard content.listSchema(place.table, place.list) != nil else { return false }
        return content[place.table.index].backlinks(place.list.index)
            .contains(row.rawValue, owner.rawValue)
    }
}

extension TableDelta {
    /// The rows, neither inserted nor deleted, of which a property or list changed. May repeat
    /// rows.
    var changedRows: some Sequence<ObjectKey> {
        [modified.map(\.key), listChanges.values.flatMap { $0.map(\.row) }].joined()
    }
}

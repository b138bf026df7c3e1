extension CommitSummary {
    /// Returns the net effect of consecutive commits, according to the rules of ``MergedDelta``,
    /// with the version of the last one and no origin. Returns `nil` if no changes are left.
    ///
    /// Merging in steps gives the same result as merging at once, except that very long splices of
    /// lists may be replaced by a comparison (`ListChange.splices` is `nil`) at different lengths.
    ///
    /// - Complexity: O(k log k) for k changes.
    package static func merged(_ summaries: [CommitSummary]) -> CommitSummary? {
        guard let last = summaries.last else { return nil }
        if summaries.count == 1 { return last }
        var deltas: [TableKey: [TableDelta]] = [:]
        for summary in summaries {
            for (table, delta) in summary.tables { deltas[table, default: []].append(delta) }
        }
        let tables = deltas.compactMapValues { deltas -> TableDelta? in
            let merged = MergedDelta(deltas)
            guard let first = deltas.first, !merged.isEmpty else { return nil }
            return TableDelta(
                table: first.table, tableName: first.tableName, inserted: merged.inserted,
                deleted: merged.deleted, modified: merged.modified,
                listChanges: merged.listChanges)
        }
        if tables.isEmpty { return nil }
        return CommitSummary(version: last.version, origin: nil, tables: tables)
    }
}

extension CommitSummary {
    /// The net effect of consecutive commits, by the rules of ``MergedDelta``: with the version of the
    /// last and no label. nil if nothing is left of them.
    ///
    /// What is merged in steps is what is merged at once, except that very long splices of lists may
    /// give way to a comparison (`ListChange.splices` nil) at different lengths.
    ///
    /// - Complexity: O(k log k) for k changes.
    package static func merged(_ summaries: [CommitSummary]) -> CommitSummary? {
        guard let last = summaries.last else { return nil }
        if summaries.count == 1 { return last }
        var deltas: [TableKey: [TableDelta]] = [:]
        for summary in summaries {
            for (table, delta) in summary.tables { deltas[table, default: []].append(delta) }
        }
        let tables = deltas.compactMapValues { TableDelta(merging: $0) }
        if tables.isEmpty { return nil }
        return CommitSummary(version: last.version, origin: nil, tables: tables)
    }
}

extension TableDelta {
    /// The net effect of consecutive deltas of one class; nil if there is none.
    init?(merging deltas: [TableDelta]) {
        guard let first = deltas.first else { return nil }
        if deltas.count == 1 {
            self = first
            return
        }
        let merged = MergedDelta(deltas)
        self.init(
            table: first.table, tableName: first.tableName, inserted: merged.inserted,
            deleted: merged.deleted, modified: merged.modified, listChanges: merged.listChanges)
        if isEmpty { return nil }
    }
}

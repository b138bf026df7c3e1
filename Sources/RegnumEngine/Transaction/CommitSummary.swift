/// What one commit changed, as change streams need it: the net effect per class.
package struct CommitSummary: Sendable {
    /// The version of the commit.
    package let version: UInt64
    /// The label that the writer gave to `write`.
    package let origin: String?
    /// The classes whose rows changed; never one with an empty delta.
    package let tables: [TableKey: TableDelta]

    package init(version: UInt64, origin: String?, tables: [TableKey: TableDelta]) {
        self.version = version
        self.origin = origin
        self.tables = tables
    }

    /// The delta of the class of that name (by UTF-8 bytes), or nil if none of its rows changed.
    package func delta(tableName: String) -> TableDelta? {
        tables.values.first { equalUTF8($0.tableName, tableName) }
    }

    /// About how much memory the summary takes, for a bound on what is kept.
    package var byteCount: Int {
        tables.values.reduce(64 + (origin?.utf8.count ?? 0)) { $0 + $1.byteCount }
    }
}

/// The net effect of one commit on one class. A row is in one of the three lists at most.
package struct TableDelta: Sendable, Hashable {
    package let table: TableKey
    package let tableName: String
    /// Rows that are new, ascending.
    package let inserted: [ObjectKey]
    /// Rows that are gone, ascending.
    package let deleted: [ObjectKey]
    /// Rows of which a property was set, also to an equal value; ascending by key.
    package let modified: [ModifiedRow]
    /// Changed lists of rows that were there before and still are, ascending by row, with all their
    /// splices. They are apart from `modified`: a row whose list changed is in both if a property
    /// was set too, and its content version tells of properties only. Deletions of elements are
    /// among them.
    package let listChanges: [ListKey: [ListChange]]

    package init(
        table: TableKey, tableName: String, inserted: [ObjectKey], deleted: [ObjectKey],
        modified: [ModifiedRow], listChanges: [ListKey: [ListChange]] = [:]
    ) {
        self.table = table
        self.tableName = tableName
        self.inserted = inserted
        self.deleted = deleted
        self.modified = modified
        self.listChanges = listChanges
    }

    /// Whether nothing changed.
    package var isEmpty: Bool {
        inserted.isEmpty && deleted.isEmpty && modified.isEmpty && listChanges.isEmpty
    }

    /// About how much memory the delta takes.
    package var byteCount: Int {
        128 + 8 * (inserted.count + deleted.count) + 24 * modified.count
            + listChanges.values.joined().reduce(0) { $0 + $1.byteCount }
    }
}

/// A row of which properties were set, and which.
package struct ModifiedRow: Sendable, Hashable {
    package var key: ObjectKey
    package var columns: ColumnSet

    package init(key: ObjectKey, columns: ColumnSet) {
        self.key = key
        self.columns = columns
    }
}

/// A transaction's result: the record for the log, the root to publish, the summary for streams.
package struct Commit: Sendable {
    /// The body of the COMMIT record (Docs/FORMAT.md); empty for a bulk commit.
    package let body: [UInt8]
    package let root: DatabaseRoot
    package let summary: CommitSummary
    /// The transaction is too large for a record: `body` is empty, and it commits as a checkpoint.
    package var bulk: BulkRequest?

    /// Whether it deletes objects and adds none: such a commit is possible on a full disk too.
    package var isDeletion: Bool {
        let tables = summary.tables.values
        return tables.contains { !$0.deleted.isEmpty } && tables.allSatisfy(\.inserted.isEmpty)
    }
}

package import Synchronization

/// The net changes of a commit per class, as change streams use them.
package struct CommitSummary: Sendable {
    /// The version of the commit.
    package let version: UInt64
    /// The origin that the writer passed to `write`.
    package let origin: String?
    /// The trace context of the write, if it was traced.
    package let trace: String?
    /// The changes by class. Contains no empty deltas.
    package let tables: [TableKey: TableDelta]

    /// - Parameter origin: The origin in the commit's record.
    package init(version: UInt64, origin: String?, tables: [TableKey: TableDelta]) {
        self.version = version
        let recorded = RecordedOrigin(text: origin)
        self.origin = recorded.label
        trace = recorded.trace
        self.tables = tables
    }

    /// The origin in the commit's record.
    package var recordedOrigin: String? { RecordedOrigin(label: origin, trace: trace).text }

    /// Returns the delta of the class with that name (compared by UTF-8 bytes), or `nil` if none of
    /// its rows changed.
    package func delta(tableName: String) -> TableDelta? {
        tables.values.first { equalUTF8($0.tableName, tableName) }
    }

    /// The approximate memory use of the summary, for limiting what is kept.
    package var byteCount: Int {
        let labels = (origin?.utf8.count ?? 0) + (trace?.utf8.count ?? 0)
        return tables.values.reduce(64 + labels) { $0 + $1.byteCount }
    }
}

/// The net effect of a commit on one class. A row is in at most one of the three lists of rows.
package struct TableDelta: Sendable, Hashable {
    package let table: TableKey
    package let tableName: String
    /// Inserted rows, ascending.
    package let inserted: [ObjectKey]
    /// Deleted rows, ascending.
    package let deleted: [ObjectKey]
    /// Rows with a property that was set, even to an equal value; ascending by key.
    package let modified: [ModifiedRow]
    /// Changed lists of rows that exist before and after the commit, ascending by row, with all
    /// their splices, including those from the deletion of elements. Independent of `modified`: a
    /// row whose list changed is in both only if a property was set as well, and its content
    /// version covers only properties.
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

    /// Whether there are no changes.
    package var isEmpty: Bool {
        inserted.isEmpty && deleted.isEmpty && modified.isEmpty && listChanges.isEmpty
    }

    /// The approximate memory use of the delta.
    package var byteCount: Int {
        128 + 8 * (inserted.count + deleted.count) + 24 * modified.count
            + listChanges.values.joined().reduce(0) { $0 + $1.byteCount }
    }
}

/// A row with properties that were set, and their columns.
package struct ModifiedRow: Sendable, Hashable {
    package var key: ObjectKey
    package var columns: ColumnSet

    package init(key: ObjectKey, columns: ColumnSet) {
        self.key = key
        self.columns = columns
    }
}

/// The result of a transaction: the record for the log, the root to publish and the summary for
/// streams.
package struct Commit: Sendable {
    /// The body of the COMMIT record (Docs/FORMAT.md); empty for a bulk commit.
    package let body: [UInt8]
    package let root: DatabaseRoot
    package let summary: CommitSummary
    /// Set if the transaction is too large for a record. Then `body` is empty, and it commits as a
    /// checkpoint.
    package var bulk: BulkRequest?
    /// The bytes in the nodes file that belonged to values it removed: large ones, and the texts of
    /// whole clusters.
    var freedFileByteCount: UInt64 = 0
    /// The duration of the sync that made the commit durable, if the caller wants to know it.
    package var syncTime: SyncTime?

    /// Whether the commit deletes objects and inserts none. Such a commit is possible even on a
    /// full disk.
    package var isDeletion: Bool {
        let tables = summary.tables.values
        return tables.contains { !$0.deleted.isEmpty } && tables.allSatisfy(\.inserted.isEmpty)
    }
}

/// The duration of a sync in nanoseconds; 0 until the commit is published, and for a commit that
/// was published without a sync.
package final class SyncTime: Sendable {
    package let nanoseconds = Atomic<UInt64>(0)

    package init() {}
}

/// The data for the record of a bulk commit that its root and summary don't contain.
package struct BulkRequest: Sendable {
    package var timestampMicroseconds: Int64
    /// The number of the nodes file that already contains most of the content, or `nil` for any.
    package var nodesFile: UInt64?
}

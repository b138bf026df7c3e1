/// A private copy of a root under edit. Confined to one task: not Sendable.
///
/// Everything that it reads includes its own changes. Nodes of the base are copied when they are
/// first changed and edited in place from then on; `abort`, or letting go of the transaction, undoes
/// it. A call that throws leaves the transaction as it was.
package final class EngineTransaction {
    /// The root that the transaction started from; never changes.
    package let base: DatabaseRoot
    /// The label for the commit, as change streams report it.
    package let origin: String?
    /// The version that the transaction will commit as.
    package let version: UInt64

    @exclusivity(unchecked) var content: DatabaseContent
    @exclusivity(unchecked) var changes: [TableChanges]
    @exclusivity(unchecked) var schemaChanges: [SchemaChange] = []
    @exclusivity(unchecked) private(set) var phase = Phase.open
    let edit: ContentEdit
    /// The state that a transaction went on from which was saved in between (`MigrationStage`).
    @exclusivity(unchecked) private(set) var resumed: DatabaseRoot?
    /// By table: how rows are inserted into it, once some were; empty after the schema has changed.
    @exclusivity(unchecked) var insertions: [RowInsertion?] = []
    /// The current state as a root, as long as it is current.
    @exclusivity(unchecked) private var currentRoot: DatabaseRoot?

    enum Phase { case open, committed, aborted }

    /// - Complexity: O(number of classes); O(n) where `base` is not the newest root of its lineage,
    ///   or another transaction on it has not ended.
    package init(base: DatabaseRoot, origin: String? = nil) {
        self.base = base
        self.origin = origin
        version = base.version + 1
        (content, edit) = base.content.edited(on: base.stamp)
        changes = []
        changes.reserveCapacity(content.schema.tables.count)
        for index in content.schema.tables.indices {
            changes.append(TableChanges(firstNewKey: content[index].nextKey))
        }
    }

    /// Goes on with the state of an earlier transaction on `base`, which was written and read again.
    ///
    /// - Complexity: O(classes, and rows that the base does not have).
    init(resuming state: DatabaseRoot, base: DatabaseRoot) {
        precondition(state.version == base.version + 1, "A state of another transaction.")
        self.base = base
        origin = nil
        version = state.version
        resumed = state
        (content, edit) = state.content.edited(on: state.stamp)
        changes = []
        for index in content.schema.tables.indices {
            let isOld = index < base.content.schema.tables.count
            var change = TableChanges(firstNewKey: isOld ? base.content[index].nextKey : 0)
            content[index].forEachKey(from: change.firstNewKey) { _ in
                change.insertedCount += 1
                return true
            }
            changes.append(change)
        }
    }

    deinit { abort() }

    /// Whether committing would change anything: rows that were inserted and deleted again leave
    /// no trace, setting an equal value does.
    package var hasChanges: Bool {
        if !schemaChanges.isEmpty || resumed != nil { return true }
        for index in changes.indices where hasChanges(index) { return true }
        return false
    }

    /// The current state, uncommitted changes included, as a root of version `version`: for
    /// whoever keeps it. Later edits do not show in it.
    ///
    /// - Complexity: O(1); the edits after it copy the nodes that they change.
    package var root: DatabaseRoot {
        if let currentRoot { return currentRoot }
        precondition(phase != .aborted, "An aborted transaction has no content.")
        let root = DatabaseRoot(version: version, content: content, stamp: edit.nodes.freeze())
        currentRoot = root
        return root
    }

    /// Bytes of nodes on the heap in the transaction's lineage, in all its versions.
    package var heapByteCount: Int { content.context.store.usage.byteCount }

    // MARK: Reading

    /// The classes and their columns, with those that the transaction added.
    package var schema: DatabaseSchema { content.schema }

    /// The number of rows of a class.
    package func count(_ table: TableKey) -> Int { content.table(table)?.count ?? 0 }

    /// Whether there is such a row. O(log n).
    package func contains(_ table: TableKey, _ key: ObjectKey) -> Bool {
        content.table(table)?.contains(key.rawValue) ?? false
    }

    /// The value of a property, defaults applied; nil if there is no such row or column. O(log n).
    package func value(_ table: TableKey, _ key: ObjectKey, _ column: ColumnKey) -> Value? {
        content.value(table, key, column)
    }

    /// The row with that primary key, or nil. O(log n).
    package func find(_ table: TableKey, primaryKey value: Value) -> ObjectKey? {
        content.find(table, primaryKey: value)
    }

    /// The keys of all rows, ascending.
    package func keys(_ table: TableKey) -> [ObjectKey] { content.keys(table) }

    // MARK: Phases

    /// Undoes everything. The transaction can be used no more. No effect after a commit.
    package func abort() {
        guard phase == .open else { return }
        phase = .aborted
        insertions = []
        currentRoot = nil
        edit.nodes.store.abort(edit.nodes, directory: content.directory)
        content = base.content
        resumed = nil
    }

    /// Ends the edits for good: the root of the current state.
    func finish() -> DatabaseRoot {
        willEdit()
        let root = DatabaseRoot(version: version, content: content, stamp: edit.nodes.stamp)
        edit.nodes.store.finish(edit.nodes)
        phase = .committed
        insertions = []
        currentRoot = root
        resumed = nil
        return root
    }

    /// Notes that the state is about to change.
    @inline(__always)
    func willEdit() {
        precondition(phase == .open, "A transaction cannot be changed after its end.")
        if currentRoot != nil { currentRoot = nil }
    }

    func hasChanges(_ index: Int) -> Bool {
        let change = changes[index]
        return change.insertedCount > 0 || !change.deleted.isEmpty || !change.modified.isEmpty
            || !change.lists.isEmpty
    }
}

/// What a transaction did to the rows of one class.
struct TableChanges {
    /// Rows from this key on are the transaction's own.
    let firstNewKey: UInt64
    /// How many rows from `firstNewKey` on exist now.
    var insertedCount = 0
    /// Rows of the base that are gone, in the order of their deletion.
    var deleted: [ObjectKey] = []
    /// Rows of the base that are there and of which properties were set.
    var modified = ModifiedRows()
    /// Lists of rows of the base that are there, which were changed.
    var lists: [RowList: ListLog] = [:]
}

/// What a transaction did to the schema, in the order in which it did.
enum SchemaChange {
    case table(TableKey, String, TableKind, [ColumnDefinition])
    case column(TableKey, ColumnKey, ColumnDefinition)
    case list(TableKey, ListKey, String, target: TableKey, ListKind)
    case index(TableKey, ColumnKey)
    /// The version of the schema.
    case version(UInt64)
    /// What commit records do not tell: the transaction commits in bulk.
    case restructured

    var isRestructured: Bool {
        if case .restructured = self { true } else { false }
    }
}

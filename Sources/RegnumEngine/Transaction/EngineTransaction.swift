/// A private copy of a root being edited. Confined to one task: not Sendable.
///
/// All reads include its own changes. Nodes of the base are copied when first changed, and then
/// edited in place. `abort`, or releasing the transaction, discards the changes. A call that throws
/// leaves the transaction unchanged.
package final class EngineTransaction {
    /// The root that the transaction is based on. Never changes.
    package let base: DatabaseRoot
    /// The origin of the commit, as change streams report it.
    package let origin: String?
    /// The version that the transaction will commit as.
    package let version: UInt64

    @exclusivity(unchecked) var content: DatabaseContent
    @exclusivity(unchecked) var changes: [TableChanges]
    @exclusivity(unchecked) var schemaChanges: [SchemaChange] = []
    @exclusivity(unchecked) private(set) var phase = Phase.open
    let edit: ContentEdit
    /// The saved state from which the transaction was resumed (`MigrationStage`), or `nil`.
    @exclusivity(unchecked) private(set) var resumed: DatabaseRoot?
    /// Row insertions by table, created on first use. Cleared when the schema changes.
    @exclusivity(unchecked) var insertions: [RowInsertion?] = []
    /// The current state as a root, or `nil` after a change.
    @exclusivity(unchecked) private var currentRoot: DatabaseRoot?

    enum Phase { case open, committed, aborted }

    /// - Complexity: O(number of classes). O(n) if `base` is a fork or isn't the newest root of its
    ///   lineage, or if another transaction on it hasn't ended.
    package init(base: DatabaseRoot, origin: String? = nil) {
        self.base = base
        self.origin = origin
        version = base.version + 1
        let (content, edit) = base.edited()
        (self.content, self.edit) = (content, edit)
        changes = content.schema.tables.indices.map {
            TableChanges(firstNewKey: content[$0].nextKey)
        }
    }

    /// Resumes an earlier transaction on `base` from its saved state.
    ///
    /// - Complexity: O(classes, and rows that the base doesn't have).
    init(resuming state: DatabaseRoot, base: DatabaseRoot) {
        precondition(state.version == base.version + 1, "The state belongs to another transaction.")
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

    /// Whether a commit would change anything. Rows that were inserted and deleted again don't
    /// count; setting an equal value does.
    package var hasChanges: Bool {
        !schemaChanges.isEmpty || resumed != nil || changes.indices.contains { hasChanges($0) }
    }

    /// A root with the current state, including uncommitted changes, with the version `version`.
    /// Later edits don't affect it.
    ///
    /// - Complexity: O(1). Later edits copy the nodes that they change.
    package var root: DatabaseRoot {
        if let currentRoot { return currentRoot }
        precondition(phase != .aborted, "The transaction was aborted.")
        let root = DatabaseRoot(version: version, content: content, stamp: edit.nodes.freeze())
        currentRoot = root
        return root
    }

    /// The bytes of heap nodes of all versions in the transaction's lineage.
    package var heapByteCount: Int { content.context.store.usage.byteCount }

    /// The classes and their columns, including those that the transaction added.
    package var schema: DatabaseSchema { content.schema }

    /// Returns whether the transaction has deleted a row, which it started with or inserted.
    ///
    /// - Complexity: O(log n)
    package func hasDeleted(_ table: TableKey, _ key: ObjectKey) -> Bool {
        // A savepoint may have rolled back the class.
        guard changes.indices.contains(table.index) else { return true }
        if contains(table, key) { return false }
        let isNew = key.rawValue >= changes[table.index].firstNewKey
        return isNew
            ? key.rawValue < content[table.index].nextKey : base.contains(table, key)
    }

    // MARK: Phases

    /// Discards all changes. The transaction can't be used afterwards. No effect after a commit.
    package func abort() {
        guard phase == .open else { return }
        phase = .aborted
        insertions = []
        currentRoot = nil
        edit.nodes.store.abort(edit.nodes, directory: content.directory)
        content = base.content
        resumed = nil
    }

    /// Ends the transaction and returns the root of the current state.
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

    /// Must be called before every change of the state.
    @inline(__always)
    func willEdit() {
        precondition(phase == .open, "The transaction has ended and can't be changed.")
        if currentRoot != nil { currentRoot = nil }
    }

    func hasChanges(_ index: Int) -> Bool {
        let change = changes[index]
        return change.insertedCount > 0 || !change.deleted.isEmpty || !change.modified.isEmpty
            || !change.lists.isEmpty
    }
}

/// A transaction's changes to the rows of one class.
struct TableChanges {
    /// The transaction's own rows are those from this key on.
    let firstNewKey: UInt64
    /// The number of current rows from `firstNewKey` on.
    var insertedCount = 0
    /// Deleted rows of the base, in order of deletion.
    var deleted: [ObjectKey] = []
    /// Rows of the base that still exist and have properties that were set.
    var modified = ModifiedRows()
    /// Changed lists of rows of the base that still exist.
    var lists: [RowList: ListLog] = [:]
}

/// A transaction's change to the schema. They are kept in order.
enum SchemaChange {
    case table(TableKey, String, TableKind, [ColumnDefinition])
    case column(TableKey, ColumnKey, ColumnDefinition)
    case list(TableKey, ListKey, String, target: TableKey, ListKind)
    case index(TableKey, ColumnKey)
    case fullTextIndex(TableKey, ColumnKey)
    case geoIndex(TableKey, ListKey)
    /// The version of the schema.
    case version(UInt64)
    /// A change that commit records can't describe, so the transaction commits in bulk.
    case restructured

    var isRestructured: Bool {
        if case .restructured = self { true } else { false }
    }
}

/// A state of a running transaction that it can be rolled back to.
package struct Savepoint {
    let stamp: UInt64
    let content: DatabaseContent
    let changes: [TableChanges]
    let schemaChangeCount: Int
    let retiredCount: Int
    let freedFileByteCount: UInt64
    /// The edit to which the savepoint belongs.
    let edit: ContentEdit
}

extension EngineTransaction {
    /// Creates a savepoint of the current state.
    ///
    /// - Complexity: O(changes so far of the classes). Later edits copy the nodes that they change.
    package func savepoint() -> Savepoint {
        willEdit()
        return Savepoint(
            stamp: edit.nodes.freeze(), content: content, changes: changes,
            schemaChangeCount: schemaChanges.count, retiredCount: edit.nodes.retired.count,
            freedFileByteCount: edit.nodes.freedFileByteCount, edit: edit)
    }

    /// Rolls back everything since the savepoint, which remains valid. Later savepoints become
    /// invalid.
    ///
    /// - Precondition: The savepoint belongs to this transaction, which hasn't been rolled back to
    ///   an earlier one since.
    /// - Complexity: O(nodes changed since).
    package func rollback(to savepoint: Savepoint) {
        precondition(savepoint.edit === edit, "The savepoint belongs to another transaction.")
        precondition(
            savepoint.retiredCount <= edit.nodes.retired.count
                && savepoint.changes.count <= changes.count,
            "The transaction has been rolled back to an earlier savepoint.")
        willEdit()
        let isBack = edit.nodes.rollBack(
            to: savepoint.stamp, retiredCount: savepoint.retiredCount,
            directory: content.directory)
        precondition(isBack, "A root created after the savepoint is still held.")
        edit.nodes.freedFileByteCount = savepoint.freedFileByteCount
        edit.discard()
        insertions = []
        content = savepoint.content
        changes = savepoint.changes
        schemaChanges.removeLast(schemaChanges.count - savepoint.schemaChangeCount)
    }

    /// The key of the next row of each class, by table key.
    package var nextKeys: [ObjectKey] {
        content.schema.tables.indices.map { ObjectKey(rawValue: content[$0].nextKey) }
    }

    /// Ensures that the next rows of a class have keys of at least `key`. No effect if they
    /// already do.
    ///
    /// Called after a rollback, so that code that still refers to a row that was rolled back can't
    /// mistake a new row for it.
    package func skipKeys(_ table: TableKey, below key: ObjectKey) {
        guard content[table.index].nextKey < key.rawValue else { return }
        willEdit()
        insertions = []
        edit.discard(table.index)
        var own = content.ownTable(table.index, edit.nodes)
        own.setNextKey(key.rawValue, edit: edit.nodes)
    }
}

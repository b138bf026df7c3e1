/// A state of a running transaction to which it can go back.
package struct Savepoint {
    let stamp: UInt64
    let content: DatabaseContent
    let changes: [TableChanges]
    let schemaChangeCount: Int
    let retiredCount: Int
    /// The edit that it belongs to.
    let edit: ContentEdit
}

extension EngineTransaction {
    /// Marks the current state.
    ///
    /// - Complexity: O(changes so far of the classes), and the edits after it copy the nodes that
    ///   they change.
    package func savepoint() -> Savepoint {
        willEdit()
        return Savepoint(
            stamp: edit.nodes.freeze(), content: content, changes: changes,
            schemaChangeCount: schemaChanges.count, retiredCount: edit.nodes.retired.count,
            edit: edit)
    }

    /// Undoes everything since the savepoint, which may be used again. Savepoints made after it end.
    ///
    /// - Precondition: the savepoint is this transaction's, and the transaction was not rolled back
    ///   to an older one meanwhile.
    /// - Complexity: O(nodes changed since).
    package func rollback(to savepoint: Savepoint) {
        precondition(savepoint.edit === edit, "A savepoint of another transaction was used.")
        precondition(
            savepoint.retiredCount <= edit.nodes.retired.count
                && savepoint.changes.count <= changes.count,
            "A savepoint was used after the transaction had gone back to an older one.")
        willEdit()
        let isBack = edit.nodes.rollBack(
            to: savepoint.stamp, retiredCount: savepoint.retiredCount,
            directory: content.directory)
        precondition(isBack, "A root that was taken after the savepoint is still held.")
        edit.forget()
        insertions = []
        content = savepoint.content
        changes = savepoint.changes
        schemaChanges.removeLast(schemaChanges.count - savepoint.schemaChangeCount)
    }

    /// By table key: the key that the next row of each class gets.
    package var nextKeys: [ObjectKey] {
        content.schema.tables.indices.map { ObjectKey(rawValue: content[$0].nextKey) }
    }

    /// Lets the rows of a class that come next have keys from `key` on. No effect if they have anyway.
    ///
    /// After a rollback: whoever knows a row that was undone does not take a new one for it.
    package func skipKeys(_ table: TableKey, below key: ObjectKey) {
        guard content[table.index].nextKey < key.rawValue else { return }
        willEdit()
        insertions = []
        edit.forget(table.index)
        var own = content.ownTable(table.index, edit.nodes)
        own.settle(nextKey: key.rawValue, edit: edit.nodes)
    }
}

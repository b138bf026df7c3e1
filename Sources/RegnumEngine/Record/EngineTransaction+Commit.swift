package import RegnumStore

extension EngineTransaction {
    /// Commits the transaction: encodes its record and creates the root to publish.
    ///
    /// Afterwards the transaction can be read but not changed. If this throws, the transaction is
    /// unchanged. Throws `invalidInput` if the origin is too long, damage that it encounters, and
    /// `invalidDatabase` if versions or object keys are exhausted, which only happens in a damaged
    /// realm.
    ///
    /// - Parameters:
    ///   - timestampMicroseconds: The wall clock time for the record, in microseconds since 1970.
    ///   - maximumBodyByteCount: The maximum size of the record's body. A larger transaction, or
    ///     one with more values than a record may have, becomes a bulk commit without a body. With
    ///     0 no body is created, for in-memory realms.
    ///
    /// - Complexity: O(changes log n).
    package func commit(
        timestampMicroseconds: Int64, maximumBodyByteCount: Int = Limits.maximumRecordBodyByteCount
    ) throws(StoreError) -> Commit {
        precondition(phase == .open, "A transaction can be committed only once.")
        if let problem = Limits.problem(withOrigin: origin) { throw problem }
        try checkNumbers()
        if let resumed {
            return try DamageWatch.check(on: base) { commitResumed(resumed, timestampMicroseconds) }
        }
        let (deltas, body) = try DamageWatch.check(on: base) {
            encode(timestampMicroseconds, maximumByteCount: maximumBodyByteCount)
        }
        willEdit()
        for index in changes.indices { resetNextKey(index) }
        var tables: [TableKey: TableDelta] = [:]
        for delta in deltas { tables[delta.table] = delta }
        let summary = CommitSummary(version: version, origin: origin, tables: tables)
        let bulk = body == nil ? BulkRequest(timestampMicroseconds: timestampMicroseconds) : nil
        return Commit(
            body: body ?? [], root: finish(), summary: summary, bulk: bulk,
            freedFileByteCount: edit.nodes.freedFileByteCount)
    }

    /// Returns the net effect per class, and the record's body, or `nil` for a bulk commit.
    private func encode(
        _ timestampMicroseconds: Int64, maximumByteCount: Int
    ) -> (deltas: [TableDelta], body: [UInt8]?) {
        let deltas = makeDeltas()
        if schemaChanges.contains(where: \.isRestructured)
            || CommitRecord.isTooLarge(
                content, deltas, maximumByteCount: maximumByteCount,
                largeByteCount: edit.nodes.largeByteCount)
            || CommitRecord.isTooMuchWork(schemaChanges, base, schema)
            || CommitRecord.storesTooManyDefaults(deltas, base, schema)
        {
            return (deltas, nil)
        }
        let record = CommitRecord.encode(
            self, deltas: deltas, timestampMicroseconds: timestampMicroseconds)
        return (deltas, record.flatMap { $0.count <= maximumByteCount ? $0 : nil })
    }

    /// Commits a resumed transaction. Most of it is in the nodes file already, and its changes are
    /// the differences between the two versions.
    private func commitResumed(_ resumed: DatabaseRoot, _ timestampMicroseconds: Int64) -> Commit {
        willEdit()
        for index in changes.indices { resetNextKey(index) }
        let file = (resumed.content.context.source?.file as? NodesFile)?.number
        let root = finish()
        return Commit(
            body: [], root: root, summary: CommitSummary(from: base, to: root, origin: origin),
            bulk: BulkRequest(timestampMicroseconds: timestampMicroseconds, nodesFile: file))
    }

    /// Checks that versions and object keys aren't exhausted, as they can be in a forged file, and
    /// that the next checkpoint can be loaded.
    private func checkNumbers() throws(StoreError) {
        guard version <= Limits.maximumVersion else {
            throw StoreError(
                .invalidDatabase,
                "The realm is at version \(base.version), which exceeds the maximum: "
                    + "its files are damaged. Nothing was committed.")
        }
        for index in changes.indices
        where content[index].nextKey > Limits.maximumKeyCount {
            let name = content.schema.tables[index].name
            throw StoreError(
                .invalidDatabase,
                "The class \(name) has no object keys left: the realm's files are damaged. "
                    + "Nothing was committed.",
                className: name)
        }
        for index in changes.indices where hasChanges(index) || resumed != nil {
            if content.isCountable(index) { continue }
            let name = content.schema.tables[index].name
            throw StoreError(
                .invalidInput,
                "The class \(name) has too many objects or list elements; it can have at most "
                    + "\(Limits.maximumEntryCount). Nothing was committed.", className: name)
        }
    }

    /// Returns the net effect per class, by table key.
    private func makeDeltas() -> [TableDelta] {
        var deltas: [TableDelta] = []
        for index in changes.indices where hasChanges(index) {
            let change = changes[index]
            var inserted: [ObjectKey] = []
            if change.insertedCount > 0 {
                inserted.reserveCapacity(change.insertedCount)
                content[index].forEachKey(from: change.firstNewKey) { key in
                    inserted.append(ObjectKey(rawValue: key))
                    return true
                }
            }
            let modified = change.modified.sorted()
            let schema = content.schema.tables[index]
            let delta = TableDelta(
                table: schema.key,
                tableName: content.schema.nameInSummary(schema, since: base.schema),
                inserted: inserted,
                deleted: change.deleted.sorted(), modified: modified,
                listChanges: listChanges(index))
            if !delta.isEmpty { deltas.append(delta) }
        }
        return deltas
    }

    /// Releases the keys after the last row to be published, as `apply` does. No one else has seen
    /// the rows that used them.
    private func resetNextKey(_ index: Int) {
        let change = changes[index]
        let table = content[index]
        let next =
            change.insertedCount > 0 ? table.key(at: table.count - 1) + 1 : change.firstNewKey
        guard next != table.nextKey else { return }
        var own = content.ownTable(index, edit.nodes)
        own.setNextKey(next, edit: edit.nodes)
    }
}

extension Limits {
    /// Returns an error if the origin of a commit is too long, otherwise `nil`.
    package static func problem(withOrigin origin: String?) -> StoreError? {
        guard let count = origin?.utf8.count, count > maximumOriginByteCount else { return nil }
        return StoreError(
            .invalidInput,
            "The origin of a write has \(count) bytes; it can have at most "
                + "\(maximumOriginByteCount).")
    }
}

package import RegnumStore

extension EngineTransaction {
    /// Ends the transaction: encodes its record and makes the root to publish.
    ///
    /// After it the transaction can be read, and not be changed. A transaction that throws here
    /// is as it was before. Throws `invalidInput` for an origin that is too long.
    ///
    /// - Parameters:
    ///   - timestampMicroseconds: wall clock time, microseconds since 1970, for the record.
    ///   - bodyByteCountMax: a transaction whose body would have more bytes, or whose rows more
    ///     values than a record may have, becomes a bulk commit, which has no body. 0: no
    ///     body is made, for realms in memory.
    ///
    /// - Complexity: O(changes log n).
    package func commit(
        timestampMicroseconds: Int64, bodyByteCountMax: Int = Limits.recordBodyByteCountMax
    ) throws(StoreError) -> Commit {
        precondition(phase == .open, "A transaction can be committed once.")
        if let problem = Limits.problem(withOrigin: origin) { throw problem }
        try checkNumbers()
        if let resumed { return commitResumed(resumed, timestampMicroseconds) }
        let deltas = makeDeltas()
        var body: [UInt8] = []
        var isBulk =
            schemaChanges.contains(where: \.isRestructured)
            || CommitRecord.isTooLarge(content, deltas, byteCountMax: bodyByteCountMax)
            || CommitRecord.isTooMuchWork(schemaChanges, base, schema)
        if !isBulk {
            let record = CommitRecord.encode(
                self, deltas: deltas, timestampMicroseconds: timestampMicroseconds)
            if let record, record.count <= bodyByteCountMax { body = record } else { isBulk = true }
        }
        willEdit()
        for index in changes.indices { settleNextKey(index) }
        var tables: [TableKey: TableDelta] = [:]
        for delta in deltas { tables[delta.table] = delta }
        let summary = CommitSummary(version: version, origin: origin, tables: tables)
        let bulk = isBulk ? BulkRequest(timestampMicroseconds: timestampMicroseconds) : nil
        return Commit(body: body, root: finish(), summary: summary, bulk: bulk)
    }

    /// Of a transaction that was saved in between most lies in the nodes file, and what it changed is what
    /// the two versions differ in.
    private func commitResumed(_ resumed: DatabaseRoot, _ timestampMicroseconds: Int64) -> Commit {
        willEdit()
        for index in changes.indices { settleNextKey(index) }
        let file = (resumed.content.context.source?.file as? NodesFile)?.number
        let root = finish()
        return Commit(
            body: [], root: root, summary: CommitSummary(from: base, to: root, origin: origin),
            bulk: BulkRequest(timestampMicroseconds: timestampMicroseconds, nodesFile: file))
    }

    /// A file that somebody has made up may begin where the numbers end.
    private func checkNumbers() throws(StoreError) {
        guard version <= Limits.versionMax else {
            throw StoreError(
                .invalidDatabase,
                "The realm is at version \(base.version), which no number of commits can have made: "
                    + "its files are damaged. Nothing was committed.")
        }
        for index in changes.indices
        where content[index].nextKey > Limits.keyCountMax {
            let name = content.schema.tables[index].name
            throw StoreError(
                .invalidDatabase,
                "The class '\(name)' has no object keys left, which no number of objects can have "
                    + "used up: the realm's files are damaged. Nothing was committed.",
                className: name)
        }
    }

    /// The net effect per class, by table key.
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
                table: schema.key, tableName: schema.name, inserted: inserted,
                deleted: change.deleted.sorted(), modified: modified,
                listChanges: listChanges(index))
            if !delta.isEmpty { deltas.append(delta) }
        }
        return deltas
    }

    /// Takes back the keys after the last row that is published, as `apply` sees them: nobody has
    /// seen the rows that had them.
    private func settleNextKey(_ index: Int) {
        let change = changes[index]
        let table = content[index]
        let next =
            change.insertedCount > 0 ? table.key(at: table.count - 1) + 1 : change.firstNewKey
        guard next != table.nextKey else { return }
        var own = content.ownTable(index, edit.nodes)
        own.settle(nextKey: next, edit: edit.nodes)
    }
}

extension Limits {
    /// The error for the label of a commit that is too long, nil for others.
    package static func problem(withOrigin origin: String?) -> StoreError? {
        guard let count = origin?.utf8.count, count > originByteCountMax else { return nil }
        return StoreError(
            .invalidInput,
            "The origin of a write has \(count) bytes; it can have at most \(originByteCountMax).")
    }
}

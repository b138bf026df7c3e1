package import RegnumStore

/// Saved states of a migration, a transaction that may be too large for memory and shouldn't have
/// to start over after a crash. Each is written to the realm's nodes file, without a log record
/// that refers to it, so that only the resumed migration reads it; the migration's mark file stores
/// its location. The final bulk commit refers to the last state, as every bulk commit refers to its
/// checkpoint.
///
/// Used by the holder of the turn, by one thread at a time. It has the checkpoint lock until `end`,
/// so that no one else appends to nodes files or replaces them.
package final class MigrationStage: Sendable {
    private let base: DatabaseRoot
    /// Identifies the result of the migration. States left by a migration to another target aren't
    /// resumed.
    private let target: UInt64
    private let newest: CheckpointReference?
    /// `RealmLog.needsNewNodesFile`
    private let isNewFileWanted: Bool
    private let nodes: NodesDirectory
    private let mark: MigrationMarkFile
    let lock: any LockFile
    /// The number of the file with the newest state.
    private let fileNumber = Guarded<UInt64?>(nil)

    init(_ base: DatabaseRoot, target: UInt64, _ log: RealmLog) {
        self.base = base
        self.target = target
        newest = log.newestCheckpoint
        isNewFileWanted = log.needsNewNodesFile
        nodes = log.nodes
        mark = log.migrationMark
        lock = log.lock
    }

    /// Returns the newest state left by a migration of the same version to the same target, with
    /// the progress saved with it. If there is none, it is damaged, belongs to another migration,
    /// or its file was replaced, removes the mark and returns `nil`.
    ///
    /// Throws if the state can't be read, and leaves it for the next attempt.
    ///
    /// - Complexity: O(n); reads the entire state.
    package func resume() throws(StoreError) -> (
        transaction: EngineTransaction, progress: [UInt8]
    )? {
        guard let left = try mark.read() else {
            mark.remove()
            return nil
        }
        do throws(StoreError) {
            var reader = RecordReader(left.content)
            guard left.version == base.version, try reader.fixed(UInt64.self) == target,
                try reader.fixed(UInt64.self) == base.outline, isUsable(left.file)
            else {
                mark.remove()
                return nil
            }
            let state = try load(try SizedImage(&reader), left.file, base.schema)
            state.readAll()  // so that damage isn't committed
            if let damage = state.damage { throw damage }
            fileNumber.withLock { $0 = left.file }
            return (
                EngineTransaction(resuming: state, base: base),
                Array(left.content[reader.offset...])
            )
        } catch {
            guard
                error.code == .invalidDatabase || error.code == .unsupportedFormat
                    || error.code == .historyTrimmed  // its file is missing
            else { throw error }
            mark.remove()
            return nil
        }
    }

    /// Whether the migration can be committed in a nodes file that the mark names. One that a later
    /// checkpoint has replaced may exist for history only. If a commit followed in it, other
    /// processes would take the newer file, which it doesn't need, for the remains of a killed
    /// process, and its number would be used again while it is in use.
    private func isUsable(_ file: UInt64) -> Bool {
        file > newest?.file ?? 0 || !isNewFileWanted && file == newest?.file
    }

    /// Saves the state of the transaction, which is ended, and returns one that continues from it.
    /// Its content is in the file from then on.
    ///
    /// Throws `diskFull`, `ioFailed`, or `invalidDatabase` if it encounters damage. Then the
    /// transaction is unchanged, and the previous saved state remains valid.
    ///
    /// - Complexity: O(changes since the last save), and O(n / 1,024).
    package func save(
        _ transaction: EngineTransaction, progress: [UInt8]
    ) throws(StoreError) -> EngineTransaction {
        let state = try write(transaction.root, transaction.schema, progress)
        transaction.abort()
        return EngineTransaction(resuming: state, base: base)
    }

    private func write(
        _ root: DatabaseRoot, _ schema: DatabaseSchema, _ progress: [UInt8]
    ) throws(StoreError) -> DatabaseRoot {
        let live = CheckpointLoader.liveByteCount(newest, nodes)
        let appender = try nodes.appender(
            to: fileNumber.withLock { $0 }, after: newest,
            liveByteCount: live.addingReportingOverflow(UInt64(root.heapByteCount)).partialValue,
            isNewFileWanted: isNewFileWanted)
        do throws(StoreError) {
            return try write(root, schema, progress, appender)
        } catch {
            discardFile(of: appender)
            throw error
        }
    }

    /// Removes a file that was created for a state that couldn't be saved. Otherwise each attempt
    /// would leave another one, as large as the realm. It is kept if the mark may name it: if
    /// syncing the mark's directory entry failed, or if the mark can't be read.
    private func discardFile(of appender: NodesAppender) {
        guard let number = appender.newFileNumber else { return }
        do throws(StoreError) {
            if try mark.read()?.file != number { nodes.discard(number) }
        } catch {}
    }

    private func write(
        _ root: DatabaseRoot, _ schema: DatabaseSchema, _ progress: [UInt8],
        _ appender: NodesAppender
    ) throws(StoreError) -> DatabaseRoot {
        var writer = CheckpointWriter(root, to: appender)
        let written = try writer.write()
        try appender.sync()
        var content = RecordWriter(capacity: 64 + progress.count)
        content.fixed(target)
        content.fixed(base.outline)
        written.directory.encode(&content)
        content.raw(progress)
        let file = appender.fileNumber
        // the damaged only leaf of an index is no obstacle, as in a bulk commit
        let state = try load(written.directory, file, schema, acceptsDamage: true)
        try mark.write(
            MigrationMark(version: base.version, file: file, content: content.bytes))
        fileNumber.withLock { $0 = file }
        return state
    }

    private func load(
        _ directory: SizedImage, _ file: UInt64, _ schema: DatabaseSchema,
        acceptsDamage: Bool = false
    ) throws(StoreError) -> DatabaseRoot {
        try CheckpointLoader.load(
            directory, version: base.version + 1, from: nodes.bytes(ofFile: file),
            seed: base.content.context.seed, knownSchema: schema, acceptsDamage: acceptsDamage)
    }

    /// Removes the mark, so that nothing can be resumed. The bytes remain in the nodes file until
    /// it is replaced, like those of an abandoned checkpoint.
    package func discard() { mark.remove() }
}

extension DatabaseRoot {
    /// A hash that differs between almost all states of the same version.
    fileprivate var outline: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func combine(_ number: UInt64) {
            hash = (hash ^ number) &* 0x100_0000_01b3
            hash ^= hash >> 29
        }
        combine(schema.version)
        for table in schema.tables {
            for byte in table.name.utf8 { combine(UInt64(byte)) }
            combine(UInt64(table.columns.count))
            combine(content[table.key.index].nextKey)
            combine(UInt64(content[table.key.index].count))
        }
        return hash
    }
}

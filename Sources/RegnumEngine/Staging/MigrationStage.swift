package import RegnumStore

/// States of a transaction that is too long to be kept in memory, or to be begun anew after a kill: a
/// migration. Each is written into the realm's nodes file, where no record names it, so that nobody reads
/// it but who goes on with it; the mark of the migration tells where it is. The commit at the end names the
/// last one, as every bulk commit names its checkpoint.
///
/// Used by the holder of the turn, by one thread at a time; it has the checkpoint lock until `end`, so that
/// nobody else appends to nodes files, or names others.
package final class MigrationStage: Sendable {
    private let base: DatabaseRoot
    /// Tells what the migration leads to: what another one has left is not gone on with.
    private let target: UInt64
    private let newest: CheckpointReference?
    private let nodes: NodesDirectory
    private let mark: MigrationMarkFile
    let lock: any LockFile
    /// The file that has the newest state.
    private let fileNumber = Guarded<UInt64?>(nil)

    init(_ base: DatabaseRoot, target: UInt64, _ log: RealmLog) {
        self.base = base
        self.target = target
        newest = log.newestCheckpoint
        nodes = log.nodes
        mark = log.migrationMark
        lock = log.lock
    }

    /// The newest state that a migration of the same version to the same target has left, and what it told
    /// with it. Nil if there is none, or it is damaged, or anything else was left: that is removed.
    ///
    /// - Complexity: O(n): all of it is read.
    package func resume() -> (transaction: EngineTransaction, progress: [UInt8])? {
        guard let left = mark.read() else {
            mark.remove()
            return nil
        }
        do throws(StoreError) {
            var reader = RecordReader(left.content)
            guard left.version == base.version, try reader.fixed(UInt64.self) == target,
                try reader.fixed(UInt64.self) == base.outline
            else {
                mark.remove()
                return nil
            }
            var place = ImagePlace()
            place.extent = try reader.fixed(UInt64.self)
            let byteCount = try reader.fixed(UInt64.self)
            place.crc = try reader.fixed(UInt32.self)
            let state = try load(place, byteCount, left.file, base.schema)
            _ = state.stateHash()  // reads each leaf: what is damaged must not be committed
            if let damage = state.damage { throw damage }
            fileNumber.withLock { $0 = left.file }
            return (
                EngineTransaction(resuming: state, base: base),
                Array(left.content[reader.offset...])
            )
        } catch {
            mark.remove()
            return nil
        }
    }

    /// Writes the state of the transaction, and returns one that goes on with it. What it holds lies in the
    /// file from then on. The one that was given is at its end.
    ///
    /// Throws `diskFull`, `ioFailed`, `invalidDatabase` for damage of the realm that is met; then the
    /// transaction is as it was, and what was saved before still counts.
    /// - Complexity: O(changes since the last one), and O(n / 1,024).
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
            to: fileNumber.withLock { $0 }, orAfter: newest,
            liveByteCount: live.addingReportingOverflow(UInt64(root.heapByteCount)).partialValue)
        var writer = CheckpointWriter(root, to: appender)
        let written = try writer.write()
        try appender.sync()
        var content = RecordWriter(capacity: 64 + progress.count)
        content.fixed(target)
        content.fixed(base.outline)
        content.fixed(written.directory.extent)
        content.fixed(written.directoryByteCount)
        content.fixed(written.directory.crc)
        content.raw(progress)
        let file = appender.fileNumber
        let state = try load(written.directory, written.directoryByteCount, file, schema)
        try mark.write(
            MigrationMark(version: base.version, file: file, content: content.bytes))
        fileNumber.withLock { $0 = file }
        return state
    }

    private func load(
        _ place: ImagePlace, _ byteCount: UInt64, _ file: UInt64, _ schema: DatabaseSchema
    ) throws(StoreError) -> DatabaseRoot {
        try CheckpointLoader.load(
            place, byteCount: byteCount, version: base.version + 1,
            from: nodes.bytes(ofFile: file), seed: base.content.context.seed, knownSchema: schema)
    }

    /// Nothing is left to go on with. The bytes stay in the nodes file, as those of any checkpoint do that
    /// was given up, until that is left behind.
    package func discard() { mark.remove() }
}

extension DatabaseRoot {
    /// A number that two states of one version hardly have in common.
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

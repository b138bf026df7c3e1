import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

@Suite struct DeltaBlobTests {
    /// Makes a base, and a transaction on it that inserts, changes and deletes.
    private func make() throws -> (base: DatabaseRoot, commit: Commit, SeededRandom) {
        var content = try CheckpointContent(SeededRandom("DeltaBlobTests"))
        try content.insertEverything(60)
        try content.insertText(20)
        try content.change(3)
        let base = content.root
        let transaction = EngineTransaction(base: base, origin: "delta")
        let table = CheckpointContent.everything
        for key in [3, 4, 9] as [UInt64] {
            transaction.delete(table, ObjectKey(rawValue: key))
        }
        // The changes above may have deleted any row.
        let rows = transaction.keys(table)
        for key in rows.prefix(3) {
            try transaction.set(table, key, ColumnKey(rawValue: 3), .int(Int64(key.rawValue)))
            try transaction.set(table, key, ColumnKey(rawValue: 1), .bool(true))
        }
        for id in 1000..<1010 {
            _ = try transaction.insert(table, Everything.row(Int64(id), &content.generator))
        }
        let texts = transaction.keys(CheckpointContent.text)
        for key in rows.prefix(4) {
            for position in 0..<2 {
                try transaction.insertIntoList(
                    table, key, ListKey(rawValue: 0), at: position, Array(texts.prefix(3)))
            }
        }
        transaction.delete(CheckpointContent.text, texts[0])
        let commit = try transaction.commit(timestampMicroseconds: 7, maximumBodyByteCount: 0)
        return (base, commit, content.generator)
    }

    @Test func aDeltaIsReadAsItWasWritten() throws {
        let (base, commit, _) = try make()
        expectEqual(commit.bulk?.timestampMicroseconds, 7)
        let summary = try DeltaBlob.decode(
            DeltaBlob.encode(commit.summary), origin: "delta", from: base, to: commit.root)
        expectEqual(summary.tables, commit.summary.tables)
        expectEqual(summary.version, commit.summary.version)
        expectEqual(summary.origin, "delta")
    }

    /// A migration rewrites rows whose columns it only converts: none of their columns are set.
    @Test func aDeltaKeepsRowsThatWereOnlyConverted() throws {
        let (base, commit, _) = try make()
        let summary = try withConvertedRows(commit, base)
        let decoded = try DeltaBlob.decode(
            DeltaBlob.encode(summary), origin: nil, from: base, to: commit.root)
        expectEqual(decoded.tables, summary.tables)
    }

    /// Returns the commit's summary, with all rows that the commit left alone modified, without
    /// columns.
    private func withConvertedRows(_ commit: Commit, _ base: DatabaseRoot) throws -> CommitSummary {
        let table = CheckpointContent.everything
        let delta = try requireValue(commit.summary.tables[table])
        let known = Set(delta.modified.map(\.key))
        var modified = delta.modified
        for key in EngineTransaction(base: base, origin: nil).keys(table)
        where !known.contains(key) && commit.root.contains(table, key) {
            modified.append(ModifiedRow(key: key, columns: ColumnSet()))
        }
        expectTrue(modified.count > known.count)
        modified.sort { $0.key < $1.key }
        var tables = commit.summary.tables
        tables[table] = TableDelta(
            table: table, tableName: delta.tableName, inserted: delta.inserted,
            deleted: delta.deleted, modified: modified, listChanges: delta.listChanges)
        return CommitSummary(version: commit.root.version, origin: nil, tables: tables)
    }

    @Test func aForgedDeltaThrowsOrFitsTheVersions() throws {
        var (base, commit, generator) = try make()
        let bytes = DeltaBlob.encode(try withConvertedRows(commit, base))
        for _ in 0..<2000 {
            var forged = bytes
            let offset = generator.below(forged.count)
            forged[offset] = UInt8(generator.below(256))
            if generator.oneIn(4) { forged.removeLast(generator.below(forged.count)) }
            do throws(StoreError) {
                let summary = try DeltaBlob.decode(
                    forged, origin: nil, from: base, to: commit.root)
                for delta in summary.tables.values {
                    for key in delta.inserted { expectTrue(commit.root.contains(delta.table, key)) }
                    for key in delta.deleted { expectTrue(base.contains(delta.table, key)) }
                }
            } catch {
                expectEqual(error.code, .invalidDatabase)
            }
        }
    }

    @Test func aForgedBulkRecordThrows() throws {
        var (base, commit, generator) = try make()
        let file = MemoryNodesFile()
        var writer = CheckpointWriter(commit.root, to: file)
        let written = try writer.write()
        let delta = DeltaBlob.encode(commit.summary)
        let bulk = BulkCommit(
            fileNumber: 1, directory: written.directory, delta: try writer.append(delta))
        let body = bulk.body(
            version: commit.root.version, timestampMicroseconds: 7, origin: "delta")
        let files = OneFile(file: file)
        let (root, summary) = try CommitRecord.apply(body, to: base, files)
        expectEqual(root.stateHash(), commit.root.stateHash())
        expectTrue(summary.tables == commit.summary.tables && summary.origin == "delta")
        #expect(throws: StoreError.self) { try CommitRecord.apply(body, to: commit.root, files) }
        for _ in 0..<300 {
            var forged = body
            forged[generator.below(forged.count)] ^= 1 << UInt8(generator.below(8))
            if let (other, _) = try? CommitRecord.apply(forged, to: base, files) {
                // The forged bit is in the time or the origin.
                expectEqual(other.stateHash(), root.stateHash())
            }
        }
    }

    private enum Lack: CaseIterable { case nothing, table, column, list, key }

    private func makeRoot(without lack: Lack) throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .makeEmpty())
        let columns = lack == .column ? [] : [ColumnDefinition(name: "n", type: .int)]
        let table = try transaction.addTable(name: "A", columns: columns)
        if lack != .list { _ = try transaction.addList(table, name: "list", target: table) }
        if lack != .key { _ = try transaction.insert(table, columns.map { _ in Value.int(1) }) }
        if lack != .table { _ = try transaction.addTable(name: "B", columns: []) }
        return try transaction.commit(timestampMicroseconds: 0).root
    }

    /// Queries of the version before it would look for rows or properties that aren't there.
    // Covers .invalidDatabase
    @Test func aBulkCommitWithoutAllOfItsBaseIsRefused() throws {
        for lack in Lack.allCases {
            let base = try makeRoot(without: .nothing)
            let next = EngineTransaction(base: try makeRoot(without: lack))
            let root = try next.commit(timestampMicroseconds: 0).root
            let file = MemoryNodesFile(byteCount: 1 << 20)
            var writer = CheckpointWriter(root, to: file)
            let written = try writer.write()
            let summary = CommitSummary(version: root.version, origin: nil, tables: [:])
            let bulk = BulkCommit(
                fileNumber: 1, directory: written.directory,
                delta: try writer.append(DeltaBlob.encode(summary)))
            let body = bulk.body(
                version: root.version, timestampMicroseconds: 0, origin: nil)
            let code: StoreError.Code?
            do throws(StoreError) {
                _ = try CommitRecord.apply(body, to: base, OneFile(file: file))
                code = nil
            } catch {
                code = error.code
            }
            expectEqual(code, lack == .nothing ? nil : .invalidDatabase)
        }
    }

    private struct OneFile: NodesFiles {
        let file: MemoryNodesFile

        func bytes(ofFile number: UInt64) throws(StoreError) -> any NodeBytes {
            guard number == 1 else { throw StoreError(.invalidDatabase, "There is no such file.") }
            return file
        }
    }
}

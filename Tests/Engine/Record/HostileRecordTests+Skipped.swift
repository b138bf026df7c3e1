import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Records whose new rows skip keys.
extension HostileRecordTests {
    private func keys(_ raw: [UInt64]) -> [ObjectKey] { raw.map { ObjectKey(rawValue: $0) } }

    /// Inserts rows of `columnCount` columns with the value false.
    private func insertion(
        _ version: UInt64, _ keys: [ObjectKey], columnCount: Int
    ) -> [UInt8] {
        var writer = beginning(version)
        CommitRecord.begin(.insert, table, &writer)
        KeyRuns.encode(keys, &writer)
        writer.varint(columnCount)
        for _ in 0..<columnCount {
            ColumnBlock.encode([Value](repeating: .bool(false), count: keys.count), .bool, &writer)
        }
        return writer.bytes
    }

    /// Each row has a cluster of its own, with room for a few others.
    @Test func rowsWithFarKeysTakeLittleMemory() throws {
        let base = try makeBase(.uuid)
        let rowCount = 2_000
        let far = keys((0..<UInt64(rowCount)).map { $0 * 4_096 })
        var writer = beginning(2)
        CommitRecord.begin(.insert, table, &writer)
        KeyRuns.encode(far, &writer)
        writer.varint(1)
        let value = Value.uuid(Identity128(high: 1, low: 2))
        ColumnBlock.encode([Value](repeating: value, count: rowCount), .uuid, &writer)
        expectTrue(writer.bytes.count < 5 * rowCount)
        let (root, _) = try CommitRecord.apply(writer.bytes, to: base)
        expectEqual(root.keys(table), far)
        expectTrue(root.heapByteCount < 2_000 * rowCount)
    }

    @Test func rowsAfterAFullClusterHaveRoom() throws {
        let base = try makeBase(.bool)
        let dense = keys(Array(0..<1_025))
        let (root, _) = try CommitRecord.apply(insertion(2, dense, columnCount: 1), to: base)
        let cluster = try requireValue(root.table(table)?.cluster(containing: 1_024))
        let chunk = try requireValue(Node(word: cluster.chunk(0) & ~63))
        expectEqual(Cluster.capacity(of: chunk, 0), rowsPerCluster)
    }

    @Test func skippedKeysAreCountedWithinClusters() {
        expectEqual(CommitRecord.skippedCount([], next: 7), 0)
        expectEqual(CommitRecord.skippedCount(keys([7, 8]), next: 7), 0)
        expectEqual(CommitRecord.skippedCount(keys([5, 6, 1_030]), next: 3), 2 + 6)
        expectEqual(CommitRecord.skippedCount(keys([1_030]), next: 1_028), 2)
        expectEqual(CommitRecord.skippedCount(keys([1_030]), next: 0), 6)
        expectEqual(CommitRecord.skippedCount(keys([1_023, 1_024, 3_071]), next: 0), 2 * 1_023)
    }

    /// A cluster stores the places before a row, in each column.
    // Covers .invalidDatabase
    @Test func skippedKeysAreBounded() throws {
        var budget = RecordBudget()
        let half = Limits.maximumRecordSkippedCellCount / 2
        let answers = [half, half, 0, 1].map { budget.chargeSkipped($0, columnCount: 1) }
        expectEqual(answers, [true, true, true, false])

        let columnCount = 4_096
        let transaction = EngineTransaction(base: .empty)
        let columns = (0..<columnCount).map { ColumnDefinition(name: "c\($0)", type: .bool) }
        _ = try transaction.addTable(name: "A", columns: columns)
        let base = try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0).root
        let maximumCount = Limits.maximumRecordSkippedCellCount / (1_023 * columnCount)
        for excess in [0, 1] {
            let last = keys((0..<UInt64(maximumCount + excess)).map { $0 * 1_024 + 1_023 })
            let delta = TableDelta(
                table: table, tableName: "A", inserted: last, deleted: [], modified: [])
            let isTooLarge = CommitRecord.isTooLarge(
                base.content, [delta], maximumByteCount: Limits.maximumRecordBodyByteCount)
            expectEqual(isTooLarge, excess > 0)
            if excess == 0 { continue }
            let body = insertion(base.version + 1, last, columnCount: columnCount)
            expectTrue(body.count < 20_000)
            expectEqual(code(body, on: base), .invalidDatabase)
        }
    }
}

import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Records that set many cells: writers never set more than readers accept.
@Suite struct RecordCellTests {
    private static let columnCount = 16_384
    private let records = HostileRecordTests()
    private var table: TableKey { records.table }

    private func makeWide(columnCount: Int, rowCount: Int) throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        let columns = (0..<columnCount).map {
            ColumnDefinition(name: "c\($0)", type: .bool, isOptional: true)
        }
        _ = try transaction.addTable(name: "A", columns: columns)
        let nulls = [Value](repeating: .null, count: columnCount)
        for _ in 0..<rowCount { _ = try transaction.insert(table, nulls) }
        return try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0).root
    }

    /// A writer's record has at most as many cells as bytes, or so few rows that they have no more
    /// cells than a reader accepts.
    @Test func writersNeverSetMoreCellsThanReadersAccept() throws {
        expectTrue(Limits.maximumRecordBodyByteCount <= Limits.maximumRecordCellCount)
        let rowCount = CommitRecord.minimumEstimatedRowCount
        expectTrue((rowCount - 1) * Limits.maximumColumnCount <= Limits.maximumRecordCellCount)
        let maximumByteCount = rowCount * Self.columnCount
        let base = try makeWide(columnCount: Self.columnCount, rowCount: 0)
        defer { withExtendedLifetime(base) {} }
        let all = (0..<UInt16(Self.columnCount)).map(ColumnKey.init(rawValue:))
        let full = ColumnSet(all)
        for excess in [-1, 0, 1] {
            var rows = (0..<rowCount).map {
                ModifiedRow(key: ObjectKey(rawValue: UInt64($0)), columns: full)
            }
            switch excess {
            case -1: rows[0] = ModifiedRow(key: rows[0].key, columns: ColumnSet(all.dropLast()))
            case 1:
                let key = ObjectKey(rawValue: UInt64(rowCount))
                rows.append(ModifiedRow(key: key, columns: ColumnSet(all.prefix(1))))
            default: break
            }
            let delta = TableDelta(
                table: table, tableName: "A", inserted: [], deleted: [], modified: rows)
            let isTooLarge = CommitRecord.isTooLarge(
                base.content, [delta], maximumByteCount: maximumByteCount)
            expectEqual(isTooLarge, excess > 0)
        }
    }

    /// Encoding takes several times the memory of the values. If all are equal, the record is
    /// small.
    @Test func fewLargeValuesAreCountedBeforeTheyAreEncoded() throws {
        let byteCount = Limits.maximumRecordBodyByteCount / 2
        for (isEqual, isInserted, count) in [
            (false, true, 3), (false, false, 3), (true, true, 3), (false, true, 1),
        ] {
            let start = EngineTransaction(base: .empty)
            let column = ColumnDefinition(name: "c", type: .data, isOptional: true)
            _ = try start.addTable(name: "A", columns: [column])
            if !isInserted { for _ in 0..<count { _ = try start.insert(table, [.null]) } }
            let base = try start.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0).root
            let transaction = EngineTransaction(base: base)
            for number in 0..<count {
                let last = UInt8(isEqual ? 0 : number)
                let value = Value.data([UInt8](repeating: 7, count: byteCount) + [last])
                if isInserted {
                    _ = try transaction.insert(table, [value])
                } else {
                    try transaction.set(
                        table, ObjectKey(rawValue: UInt64(number)), ColumnKey(rawValue: 0), value)
                }
            }
            expectEqual(transaction.edit.nodes.largeByteCount, count * (byteCount + 1))
            let keys = (0..<UInt64(count)).map { ObjectKey(rawValue: $0) }
            let rows = keys.map {
                ModifiedRow(key: $0, columns: ColumnSet([ColumnKey(rawValue: 0)]))
            }
            let delta = TableDelta(
                table: table, tableName: "A", inserted: isInserted ? keys : [], deleted: [],
                modified: isInserted ? [] : rows)
            let isTooLarge = CommitRecord.isTooLarge(
                transaction.content, [delta], maximumByteCount: Limits.maximumRecordBodyByteCount,
                largeByteCount: transaction.edit.nodes.largeByteCount)
            expectEqual(isTooLarge, count > 1 && !isEqual)
            let commit = try transaction.commit(timestampMicroseconds: 0)
            expectEqual(commit.bulk != nil, isTooLarge)
        }
    }

    /// Sets 16,777,216 cells.
    // Covers .invalidDatabase
    @Test(.enabled(if: Effort.isSoak), arguments: [-1, 0, 1])
    func settingExactlyAsManyCellsAsTheLimitIsRead(excess: Int) throws {
        let rowCount = 1_024
        expectEqual(rowCount * Self.columnCount, Limits.maximumRecordCellCount)
        let base = try makeWide(columnCount: Self.columnCount + 1, rowCount: rowCount)
        let keys = base.keys(table)
        var cellsLeft = Limits.maximumRecordCellCount + excess
        var writer = records.beginning(2)
        for column in 0..<Self.columnCount + 1 where cellsLeft > 0 {
            let set = keys.prefix(cellsLeft)
            CommitRecord.begin(.set, table, &writer)
            writer.varint(column)
            KeyRuns.encode(Array(set), &writer)
            ColumnBlock.encode([Value](repeating: .bool(true), count: set.count), .bool, &writer)
            cellsLeft -= set.count
        }
        expectTrue(writer.bytes.count <= Limits.maximumRecordBodyByteCount)
        expectEqual(records.code(writer.bytes, on: base), excess > 0 ? .invalidDatabase : nil)
    }
}

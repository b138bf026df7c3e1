import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Records that add full-text indexes.
extension HostileRecordTests {
    /// Text counts for a full-text index, also the default that rows without a value have.
    // Covers .invalidDatabase
    @Test func fullTextIndexesOfExactlyTheLimitAreReadAndWritten() throws {
        let base = try makeBase(rowCount: 1_000, defaultByteCount: 4_096)
        let (rows, text) = (base.content[0], ColumnKey(rawValue: 1))
        let column = base.schema.tables[0].columns[1]
        expectEqual(rows.textByteCount(of: text, column.defaultValue), 4_096_000)
        for excess in [-16, 0, 16] {
            let byteCount = 16 * (Limits.maximumRecordSchemaWork - 3) + excess
            var budget = RecordBudget()
            let isTaken = budget.chargeSchemaChange(
                base.schema, adding: 0,
                indexWork: CommitRecord.fullTextWork(rowCount: 0, textByteCount: byteCount))
            expectEqual(isTaken, excess <= 0)
        }
        var writer = beginning(base.version + 1)
        CommitRecord.begin(.addFullTextIndex, table, &writer)
        writer.varint(1)
        expectNil(code(writer.bytes, on: base))
        let honest = [SchemaChange.fullTextIndex(table, text)]
        let indexed = base.schema.with(table) { $0[1].isFullTextIndexed = true }
        expectTrue(!CommitRecord.isTooMuchWork(honest, base, indexed))
        let large = try makeBase(rowCount: 1_000, defaultByteCount: 1 << 20)
        var far = beginning(large.version + 1)
        CommitRecord.begin(.addFullTextIndex, table, &far)
        far.varint(1)
        expectEqual(code(far.bytes, on: large), .invalidDatabase)
        let largeIndexed = large.schema.with(table) { $0[1].isFullTextIndexed = true }
        expectTrue(CommitRecord.isTooMuchWork(honest, large, largeIndexed))
        let definition = ColumnDefinition(
            name: "e", type: .string, isFullTextIndexed: true,
            defaultValue: .string(longText(1 << 20)))
        let added = [SchemaChange.column(table, ColumnKey(rawValue: 2), definition)]
        expectTrue(CommitRecord.isTooMuchWork(added, base, base.schema))
    }

    // Covers .invalidDatabase
    @Test func fullTextIndexesOfOtherColumnsAreDamage() throws {
        let base = try makeBase(rowCount: 3, defaultByteCount: 10)
        for (columns, expected) in [
            ([0], StoreError.Code.invalidDatabase), ([2], .invalidDatabase), ([1], nil),
            ([1, 1], .invalidDatabase),
        ] {
            var writer = beginning(base.version + 1)
            for column in columns {
                CommitRecord.begin(.addFullTextIndex, table, &writer)
                writer.varint(column)
            }
            expectEqual(code(writer.bytes, on: base), expected, "\(columns)")
        }
        var writer = beginning(base.version + 1)
        CommitRecord.begin(.addColumn, table, &writer)
        writer.varint(2)
        writer.columnDefinition(
            ColumnDefinition(name: "e", type: .int, isFullTextIndexed: true))
        expectEqual(code(writer.bytes, on: base), .invalidDatabase)
    }
}

import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumEngine

/// A salvage decodes the records that a realm accepts, within the same limits.
@Suite struct LoggedRecordTests {
    private let records = HostileRecordTests()
    private var table: TableKey { records.table }

    private func code(_ body: [UInt8], _ schema: DatabaseSchema) -> StoreError.Code? {
        do throws(StoreError) {
            _ = try LoggedRecord(body, schema, rowCount: 100)
            return nil
        } catch {
            return error.code
        }
    }

    /// A record may change the version of a schema of this size 511 times.
    @Test func schemaChangesAreChargedAsWhenTheyAreApplied() throws {
        let transaction = EngineTransaction(base: .empty)
        let columns = (0..<16_384).map { ColumnDefinition(name: "c\($0)", type: .bool) }
        _ = try transaction.addTable(name: "A", columns: columns)
        let base = try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0).root
        defer { withExtendedLifetime(base) {} }
        let most = Limits.maximumRecordSchemaWork / base.schema.partCount
        let cases: [(Int, StoreError.Code?)] = [(most, nil), (most + 1, .invalidDatabase)]
        for (count, expected) in cases {
            var writer = records.beginning(base.version + 1)
            for version in 1...count {
                writer.byte(CommitRecord.Operation.schemaVersion.rawValue)
                writer.varint(version)
            }
            expectEqual(records.code(writer.bytes, on: base), expected)
            expectEqual(code(writer.bytes, base.schema), expected)
        }
    }

    /// Otherwise a few bytes could repeat the keys of many rows.
    @Test func operationsMustBeInOrder() throws {
        let base = try records.makeBase(.int)
        func deletion(_ counts: [Int]) -> [UInt8] {
            var writer = records.beginning(2)
            for count in counts {
                CommitRecord.begin(.delete, table, &writer)
                KeyRuns.encode((0..<count).map { ObjectKey(rawValue: UInt64($0)) }, &writer)
            }
            return writer.bytes
        }
        expectNil(code(deletion([100]), base.schema))
        expectEqual(code(deletion([101]), base.schema), .invalidDatabase)
        expectEqual(code(deletion([50, 50]), base.schema), .invalidDatabase)
    }

    /// Values of columns that are newer than the row don't take up memory before they are set.
    @Test func laterColumnsAreKeptApart() throws {
        var changes = LoggedChanges(since: nil)
        let first = EngineTransaction(base: .empty)
        _ = try first.addTable(name: "A", columns: [ColumnDefinition(name: "a", type: .int)])
        let row = try first.insert(table, [.int(1)])
        let one = try first.commit(timestampMicroseconds: 0)
        try changes.add(one.body)
        let second = EngineTransaction(base: one.root)
        for name in ["b", "c", "d"] {
            let column = ColumnDefinition(name: name, type: .int, defaultValue: .int(7))
            _ = try second.addColumn(table, column)
        }
        let last = ColumnKey(rawValue: 3)
        try second.set(table, row, last, .int(4))
        let two = try second.commit(timestampMicroseconds: 0)
        try changes.add(two.body)
        guard case .inserted(1, let values, let later) = changes[table].rows[row.rawValue] else {
            Issue.record("the row isn't inserted")
            return
        }
        expectEqual(values, [.int(1)])
        expectEqual(later, [last: .int(4)])
        let source = SalvageSource([], changes)
        let columns = changes.schema.tables[0].columns
        expectEqual(
            columns.map { source.value(table, row.rawValue, $0) },
            [.int(1), .int(7), .int(7), .int(4)])
    }

    /// Searching all rows for the beginning of each batch would take 5 billion steps.
    @Test(.timeLimit(.minutes(1)))
    func rowsOfTheLogAreReadInBatches() throws {
        var changes = LoggedChanges(since: nil)
        let transaction = EngineTransaction(base: .empty)
        _ = try transaction.addTable(name: "A", columns: [ColumnDefinition(name: "a", type: .int)])
        let count = 100_000
        for number in 0..<count { _ = try transaction.insert(table, [.int(Int64(number))]) }
        try changes.add(transaction.commit(timestampMicroseconds: 0).body)
        let source = SalvageSource([], changes)
        var next: UInt64? = 0
        var found: [UInt64] = []
        while let key = next {
            let batch = source.rows(table, from: key, limit: 1)
            found += batch.keys
            next = batch.next
        }
        expectEqual(found, (0..<UInt64(count)).map { $0 })
    }
}

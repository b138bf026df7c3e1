import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Small records that expand to large content, and numbers at the end of their range: rejected by
/// readers, and never written by the engine.
@Suite struct HostileRecordTests {
    let table = TableKey(rawValue: 0)

    func makeBase(_ type: ValueType) throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        _ = try transaction.addTable(
            name: "A", columns: [ColumnDefinition(name: "c", type: type)])
        return try commitAndReplay(transaction).root
    }

    func code(_ body: [UInt8], on base: DatabaseRoot) -> StoreError.Code? {
        do throws(StoreError) {
            _ = try CommitRecord.apply(body, to: base)
            return nil
        } catch {
            return error.code
        }
    }

    func beginning(_ version: UInt64) -> RecordWriter {
        var writer = RecordWriter(capacity: 64)
        writer.fixed(version)
        writer.fixed(0 as Int64)
        writer.varint(0)
        return writer
    }

    /// Inserts rows from `key` on.
    private func insertion(
        _ version: UInt64, at key: UInt64, _ values: [Value], _ type: ValueType
    ) -> [UInt8] {
        var writer = beginning(version)
        CommitRecord.begin(.insert, table, &writer)
        writer.varint(values.count)
        writer.varint(key)
        writer.varint(values.count - 1)
        writer.varint(1)
        ColumnBlock.encode(values, type, &writer)
        return writer.bytes
    }

    // Covers .invalidDatabase
    @Test func textToldOnceIsBounded() throws {
        let base = try makeBase(.string)
        let text = Value.string(String(repeating: "x", count: 4000))
        let small = insertion(2, at: 0, [Value](repeating: text, count: 100), .string)
        expectNil(code(small, on: base))
        let large = insertion(2, at: 0, [Value](repeating: text, count: 1_000_000), .string)
        expectTrue(large.count < 4100)
        expectEqual(code(large, on: base), .invalidDatabase)
    }

    @Test func honestTransactionWithMuchRepeatedTextCommitsInBulk() throws {
        let text = Value.string(longText(1 << 20))
        for (count, isBulk) in [(3, false), (63, false), (64, true)] {
            let transaction = EngineTransaction(base: try makeBase(.string))
            for _ in 0..<count { _ = try transaction.insert(table, [text]) }
            let commit = try transaction.commit(timestampMicroseconds: 0)
            expectTrue((commit.bulk != nil) == isBulk)
            expectEqual(commit.body.isEmpty, isBulk)
        }
    }

    // Covers .invalidDatabase
    @Test func textOfExactlyTheLimitIsRead() throws {
        let base = try makeBase(.string)
        let count = 64
        for excess in [-1, 0, 1] {
            let byteCount = Limits.maximumRecordTextByteCount / count + excess
            let text = Value.string(longText(byteCount))
            let body = insertion(2, at: 0, [Value](repeating: text, count: count), .string)
            expectEqual(code(body, on: base), excess > 0 ? .invalidDatabase : nil)
        }
    }

    /// Makes rows of an integer, then adds a string with a default.
    func makeBase(rowCount: Int, defaultByteCount: Int) throws -> DatabaseRoot {
        let rows = EngineTransaction(base: try makeBase(.int))
        for number in 0..<rowCount { _ = try rows.insert(table, [.int(Int64(number))]) }
        let column = EngineTransaction(base: try commitAndReplay(rows).root)
        _ = try column.addColumn(
            table,
            ColumnDefinition(
                name: "d", type: .string, defaultValue: .string(longText(defaultByteCount))))
        return try column.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0).root
    }

    /// A few bytes make a cluster store the default for each of its rows.
    // Covers .invalidDatabase
    @Test func defaultsThatARecordStoresAreBounded() throws {
        for (byteCount, expected) in [
            (1 << 20, StoreError.Code.invalidDatabase), (4_096, nil), (8, nil),
        ] {
            let base = try makeBase(rowCount: 1_000, defaultByteCount: byteCount)
            var set = beginning(base.version + 1)
            CommitRecord.begin(.set, table, &set)
            set.varint(1)
            KeyRuns.encode([ObjectKey(rawValue: 0)], &set)
            ColumnBlock.encode([.string("x")], .string, &set)
            expectEqual(code(set.bytes, on: base), expected)
            var insert = beginning(base.version + 1)
            CommitRecord.begin(.insert, table, &insert)
            KeyRuns.encode([ObjectKey(rawValue: 1_000)], &insert)
            insert.varint(2)
            ColumnBlock.encode([.int(1)], .int, &insert)
            ColumnBlock.encode([.string("x")], .string, &insert)
            expectEqual(code(insert.bytes, on: base), expected)
            // Neither the old column nor a row of another cluster needs the defaults.
            var old = beginning(base.version + 1)
            CommitRecord.begin(.set, table, &old)
            old.varint(0)
            KeyRuns.encode([ObjectKey(rawValue: 0)], &old)
            ColumnBlock.encode([.int(7)], .int, &old)
            expectNil(code(old.bytes, on: base))
            var far = beginning(base.version + 1)
            CommitRecord.begin(.insert, table, &far)
            KeyRuns.encode([ObjectKey(rawValue: 1_024)], &far)
            far.varint(2)
            ColumnBlock.encode([.int(1)], .int, &far)
            ColumnBlock.encode([.string("x")], .string, &far)
            expectNil(code(far.bytes, on: base))
        }
    }

    /// A writer counts at least as many defaults as readers, and then commits in bulk.
    @Test func defaultsOfExactlyTheLimitAreReadAndWritten() throws {
        let rowCount = 64
        let byteCount = Limits.maximumRecordDefaultByteCount / rowCount
        for excess in [0, 1] {
            var budget = RecordBudget()
            expectEqual(budget.chargeDefaults(rowCount * byteCount + excess), excess == 0)
            let base = try makeBase(rowCount: rowCount, defaultByteCount: byteCount + excess)
            let row = ObjectKey(rawValue: 63)
            let columns = base.schema.tables[0].columns
            expectEqual(
                base.content[0].defaultByteCount([row], columns, setting: 1),
                rowCount * (byteCount + excess))
            expectEqual(base.content[0].defaultByteCount([row], columns, setting: 0), 0)
            let modified = TableDelta(
                table: table, tableName: "A", inserted: [], deleted: [],
                modified: [ModifiedRow(key: row, columns: ColumnSet())])
            let inserted = TableDelta(
                table: table, tableName: "A", inserted: [ObjectKey(rawValue: 64)], deleted: [],
                modified: [])
            for delta in [modified, inserted] {
                let isTooMuch = CommitRecord.storesTooManyDefaults([delta], base, base.schema)
                expectEqual(isTooMuch, excess > 0)
            }
        }
    }

    // Covers .invalidDatabase
    @Test func cellsOfExactlyTheLimitAreReadAndWritten() throws {
        let transaction = EngineTransaction(base: .empty)
        _ = try transaction.addTable(name: "A", columns: [])
        let base = try transaction.commit(timestampMicroseconds: 0).root
        let maximumCount = Limits.maximumRecordCellCount / Limits.recordCellsPerRow
        for excess in [-1, 0, 1] {
            let count = maximumCount + excess
            let delta = TableDelta(
                table: table, tableName: "A",
                inserted: (0..<UInt64(count)).map { ObjectKey(rawValue: $0) }, deleted: [],
                modified: [])
            let isTooLarge = CommitRecord.isTooLarge(
                base.content, [delta], maximumByteCount: Limits.maximumRecordBodyByteCount)
            expectEqual(isTooLarge, excess > 0)
            if excess < 0 { continue }
            var writer = beginning(2)
            CommitRecord.begin(.insert, table, &writer)
            KeyRuns.encode(delta.inserted, &writer)
            writer.varint(0)
            expectEqual(code(writer.bytes, on: base), excess > 0 ? .invalidDatabase : nil)
        }
    }

    @Test func settingManyRowsOverAndOverIsBounded() throws {
        let transaction = EngineTransaction(base: .empty)
        let columns = (0..<200).map {
            ColumnDefinition(name: "c\($0)", type: .bool, isOptional: true)
        }
        _ = try transaction.addTable(name: "A", columns: columns)
        let nulls = [Value](repeating: .null, count: 200)
        for _ in 0..<1000 { _ = try transaction.insert(table, nulls) }
        let base = try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0).root
        var writer = beginning(2)
        for column in 0..<200 {
            CommitRecord.begin(.set, table, &writer)
            writer.varint(column)
            KeyRuns.encode(base.keys(table), &writer)
            ColumnBlock.encode([Value](repeating: .null, count: 1000), .bool, &writer)
        }
        expectNil(code(writer.bytes, on: base))
    }

    @Test func changesOfTheSchemaHaveABudget() throws {
        let schema = try makeBase(.int).schema
        expectEqual(schema.partCount, 2)
        var budget = RecordBudget()
        var count = 0
        while budget.chargeSchemaChange(schema, adding: 1), count < 100_000 { count += 1 }
        // Each costs as much as the schema has parts: 2 + 3 + 4 and so on.
        expectTrue(count > 1000 && count < 10_000)
        // The writer's estimate is never below the reader's count.
        let changes = (0..<count).map { _ in SchemaChange.version(1) }
        let base = try makeBase(.int)
        expectTrue(!CommitRecord.isTooMuchWork(Array(changes.prefix(10)), base, schema))
        let wide = DatabaseSchema(
            tables: (0..<count).map {
                TableSchema(key: TableKey(rawValue: UInt32($0)), name: "T\($0)", columns: [])
            }, version: 0)
        expectTrue(CommitRecord.isTooMuchWork(changes, base, wide))
        var indexes = RecordBudget()
        let isTaken = indexes.chargeSchemaChange(
            schema, adding: 1,
            indexWork: CommitRecord.indexWork(rowCount: 8 * Limits.maximumRecordSchemaWork))
        expectTrue(!isTaken)
    }

    @Test func changesOfTheSchemaMayCostExactlyTheLimit() throws {
        let base = try makeBase(.int)
        let wide = DatabaseSchema(
            tables: (0..<8_192).map {
                TableSchema(key: TableKey(rawValue: UInt32($0)), name: "T\($0)", columns: [])
            }, version: 0)
        for excess in [-1, 0, 1] {
            var budget = RecordBudget()
            // The schema has two parts, and an eighth of the rows counts in addition.
            let isTaken = budget.chargeSchemaChange(
                base.schema, adding: 1,
                indexWork: CommitRecord.indexWork(
                    rowCount: 8 * (Limits.maximumRecordSchemaWork - 2 + excess)))
            expectEqual(isTaken, excess <= 0)
            let changes = [SchemaChange](
                repeating: .version(1), count: Limits.maximumRecordSchemaWork / 8_192 + excess)
            expectEqual(CommitRecord.isTooMuchWork(changes, base, wide), excess > 0)
        }
    }

    /// Readers rely on the columns of the values of collections, and of the keys of maps.
    // Covers .invalidDatabase
    @Test func elementsHaveTheirColumns() throws {
        let base = try makeBase(.int)
        let value = ColumnDefinition(name: "value", type: .int)
        let text = ColumnDefinition(name: "key", type: .string)
        let cases: [(ListKind, TableKind, [ColumnDefinition], Bool)] = [
            (.list, .elements, [], false), (.list, .elements, [value], true),
            (.list, .object, [], true), (.set, .elements, [], false),
            (.map, .elements, [value], false), (.map, .elements, [value, value], false),
            (.map, .object, [], false), (.map, .elements, [value, text], true),
        ]
        for (kind, target, columns, isValid) in cases {
            var columns = columns
            if columns.count == 2 { columns[1].name = "key" }
            var writer = beginning(2)
            CommitRecord.begin(.addTable, TableKey(rawValue: 1), &writer)
            writer.string("A.p")
            writer.byte(target.rawValue)
            writer.varint(columns.count)
            for column in columns { writer.columnDefinition(column) }
            CommitRecord.begin(.addList, table, &writer)
            writer.varint(0)
            writer.string("p")
            writer.varint(1)
            writer.byte(kind.rawValue)
            let expected: StoreError.Code? = isValid ? nil : .invalidDatabase
            expectEqual(code(writer.bytes, on: base), expected, "\(kind) \(target) \(columns)")
            // The same in the schema of a checkpoint, where the list comes before its class.
            let schema = base.schema.adding(name: "A.p", kind: target, columns: columns)
                .adding(list: "p", target: TableKey(rawValue: 1), kind, to: table)
            var reader = RecordReader(SchemaImage.encode(schema))
            var found: StoreError.Code?
            do throws(StoreError) {
                _ = try SchemaImage.decode(&reader, tableCount: 2)
            } catch {
                found = error.code
            }
            expectEqual(found, expected, "\(kind) \(target) \(columns)")
        }
    }

    // Covers .invalidDatabase
    @Test func keysEndBeforeTheNumbersDo() throws {
        let base = try makeBase(.int)
        let last = Limits.maximumKeyCount - 1
        expectEqual(code(insertion(2, at: last + 1, [.int(1)], .int), on: base), .invalidDatabase)
        expectEqual(code(insertion(2, at: .max - 2, [.int(1)], .int), on: base), .invalidDatabase)
        let (root, _) = try CommitRecord.apply(
            insertion(2, at: last, [.int(1)], .int), to: base)
        expectEqual(root.keys(table), [ObjectKey(rawValue: last)])
        let transaction = EngineTransaction(base: root)
        _ = try transaction.insert(table, [.int(2)])
        let error = #expect(throws: StoreError.self) {
            try transaction.commit(timestampMicroseconds: 0)
        }
        expectTrue(error?.code == .invalidDatabase && error?.className == "A")
        // Everything else still works.
        let other = EngineTransaction(base: root)
        try other.set(table, ObjectKey(rawValue: last), ColumnKey(rawValue: 0), .int(3))
        _ = try commitAndReplay(other)
    }

    // Covers .invalidDatabase
    @Test func versionsEndBeforeTheNumbersDo() throws {
        let small = try makeBase(.int)
        let base = DatabaseRoot(
            version: Limits.maximumVersion, content: small.content, stamp: small.stamp)
        let body = insertion(Limits.maximumVersion + 1, at: 0, [.int(1)], .int)
        expectEqual(code(body, on: base), .invalidDatabase)
        let transaction = EngineTransaction(base: base)
        _ = try transaction.insert(table, [.int(2)])
        let error = #expect(throws: StoreError.self) {
            try transaction.commit(timestampMicroseconds: 0)
        }
        expectEqual(error?.code, .invalidDatabase)
        let last = DatabaseRoot(
            version: Limits.maximumVersion - 1, content: small.content, stamp: small.stamp)
        let written = EngineTransaction(base: last)
        _ = try written.insert(table, [.int(2)])
        try expectEqual(commitAndReplay(written).root.version, Limits.maximumVersion)
    }

    // Covers .invalidDatabase
    @Test func checkpointsHaveTheSameLastVersionAndKey() throws {
        for (version, key, isRead) in [
            (2, Limits.maximumKeyCount - 1, true), (2, Limits.maximumKeyCount, false),
            (Limits.maximumVersion - 1, 0, true), (Limits.maximumVersion, 0, true),
            (Limits.maximumVersion + 1, 0, false),
        ] as [(UInt64, UInt64, Bool)] {
            let base = try makeBase(.int)
            let (start, edit) = base.content.edited(on: base.stamp)
            var content = start
            _ = content.insert(0, at: key, [.int(1)], version: version, edit)
            let root = DatabaseRoot(version: version, content: content, stamp: edit.nodes.stamp)
            edit.nodes.store.finish(edit.nodes)
            let file = MemoryNodesFile()
            let checkpoint = try TestCheckpoint(root, to: file)
            if isRead {
                let loaded = try checkpoint.load(from: file)
                expectTrue(loaded.version == version && loaded.keys(table).count == 1)
            } else {
                let error = #expect(throws: StoreError.self) { try checkpoint.load(from: file) }
                expectEqual(error?.code, .invalidDatabase)
            }
        }
    }

    /// Comparing versions takes time proportional to the differences, not to the highest key ever
    /// assigned.
    @Test func versionsWithFarKeysAreComparedAtOnce() throws {
        let base = try makeBase(.int)
        let far = Limits.maximumKeyCount / 2
        var (old, _) = try CommitRecord.apply(
            insertion(2, at: 5, [.int(1), .int(2)], .int), to: base)
        (old, _) = try CommitRecord.apply(
            insertion(3, at: far, [Value](repeating: .int(3), count: 3000), .int), to: old)
        let (new, _) = try CommitRecord.apply(
            insertion(4, at: far + 100_000, [.int(4)], .int), to: old)
        func keys(_ raw: [UInt64]) -> [ObjectKey] { raw.map { ObjectKey(rawValue: $0) } }
        expectEqual(MergedDelta(from: old, to: new, tableName: "A").inserted, keys([far + 100_000]))
        expectEqual(MergedDelta(from: new, to: old, tableName: "A").deleted, keys([far + 100_000]))
        let all = MergedDelta(from: base, to: new, tableName: "A").inserted
        expectTrue(all == new.keys(table) && all.count == 3003)
        expectEqual(MergedDelta(from: new, to: base, tableName: "A").deleted, all)
    }
}

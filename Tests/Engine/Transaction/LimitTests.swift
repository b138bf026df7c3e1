import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Input that the engine refuses. A refusal changes nothing.
@Suite struct LimitTests {
    private func expect(
        _ code: StoreError.Code, className: String? = nil, property: String? = nil,
        _ transaction: EngineTransaction, _ body: () throws -> Void
    ) {
        let before = transaction.root.stateHash()
        let error = #expect(throws: StoreError.self) { try body() }
        expectEqual(error?.code, code)
        if let className { expectEqual(error?.className, className) }
        if let property { expectEqual(error?.property, property) }
        expectEqual(transaction.root.stateHash(), before)
    }

    private let number = ColumnDefinition(name: "n", type: .int)

    // Covers 1.76, 1.77
    @Test func namesHaveLimitsInBytes() throws {
        let transaction = EngineTransaction(base: .empty)
        let longest = String(repeating: "é", count: 28) + "x"
        _ = try transaction.addTable(name: longest, columns: [number])
        let names = ["", longest + "x"]
        for name in names {
            expect(.invalidInput, transaction) {
                _ = try transaction.addTable(name: name, columns: [number])
            }
        }
        let longColumn = String(repeating: "c", count: 63)
        let table = try transaction.addTable(
            name: "A", columns: [ColumnDefinition(name: longColumn, type: .int)])
        for name in ["", longColumn + "c", longColumn] {
            expect(.invalidInput, className: "A", transaction) {
                _ = try transaction.addColumn(table, ColumnDefinition(name: name, type: .int))
            }
        }
        expect(.invalidInput, className: "A", transaction) {
            _ = try transaction.addTable(name: "A", columns: [number])
        }
    }

    @Test func namesAreComparedByBytes() throws {
        let transaction = EngineTransaction(base: .empty)
        let a = try transaction.addTable(name: "\u{E9}", columns: [number])
        let b = try transaction.addTable(name: "e\u{301}", columns: [number])
        expectTrue(a != b)
        expectEqual(transaction.schema.table(named: "\u{E9}")?.key, a)
        expectEqual(transaction.schema.table(named: "e\u{301}")?.key, b)
    }

    /// Swift takes the last letter of the name and the bracket after it for one character.
    @Test func itemsBelongToTheirPropertyWhateverItsName() throws {
        let name = "a\u{600}"
        let transaction = EngineTransaction(base: .empty)
        let items = try transaction.addTable(
            name: "A.\(name)", kind: .elements,
            columns: [
                ColumnDefinition(name: "value", type: .any, isOptional: true, isIndexed: true)
            ])
        let table = try transaction.addTable(
            name: "A",
            columns: [ColumnDefinition(name: name, type: .any, isOptional: true, isIndexed: true)])
        _ = try transaction.addList(table, name: name + "[]", target: items)
        let row = try transaction.insert(table, [AnyContent.list(1).value])
        let base = try transaction.commit(timestampMicroseconds: 1).root
        let schema = try requireValue(base.schema.table(named: "A")?.list(named: name + "[]"))
        expectEqual(schema.name.itemsProperty, name)
        let edit = EngineTransaction(base: base)
        edit.touch(itemsOf: row, table, schema)
        let summary = try edit.commit(timestampMicroseconds: 2).summary
        expectEqual(summary.tables[table]?.modified.map(\.key), [row])
    }

    @Test func schemasThatCannotBeAreRefused() throws {
        let transaction = EngineTransaction(base: .empty)
        let key = ColumnDefinition(name: "k", type: .int, isPrimaryKey: true)
        let wrong: [[ColumnDefinition]] = [
            [number, number],
            [key, ColumnDefinition(name: "l", type: .string, isPrimaryKey: true)],
            [ColumnDefinition(name: "k", type: .bool, isPrimaryKey: true)],
            [ColumnDefinition(name: "k", type: .double, isIndexed: true)],
            [ColumnDefinition(name: "k", type: .int, defaultValue: .string(""))],
            [ColumnDefinition(name: "k", type: .int, defaultValue: .null)],
            [ColumnDefinition(name: "k", type: .date, defaultValue: .date(.nan))],
        ]
        for columns in wrong {
            expect(.invalidInput, className: "A", transaction) {
                _ = try transaction.addTable(name: "A", columns: columns)
            }
        }
        let table = try transaction.addTable(name: "A", columns: [number])
        expect(.invalidInput, className: "A", property: "k", transaction) {
            _ = try transaction.addColumn(table, key)
        }
    }

    @Test func valuesOfWrongTypesAndSizesAreRefused() throws {
        let transaction = EngineTransaction(base: .empty)
        let columns = ValueType.plain.map { ColumnDefinition(name: "\($0)", type: $0) }
        let table = try transaction.addTable(name: "A", columns: columns)
        let row = columns.map(\.defaultValue)
        let key = try transaction.insert(table, row)
        var wrong: [(Int, Value)] = [(5, .date(.nan))]
        for index in columns.indices {
            wrong.append((index, .null))
            wrong.append((index, columns[(index + 1) % columns.count].defaultValue))
        }
        wrong.append((3, .string(longText(0xFFFFF8 - 8))))
        wrong.append((4, .data([UInt8](repeating: 0, count: 0xFFFFF8 - 7))))
        for (index, value) in wrong {
            let property = columns[index].name
            expect(.invalidValue, className: "A", property: property, transaction) {
                var row = row
                row[index] = value
                _ = try transaction.insert(table, row)
            }
            expect(.invalidValue, className: "A", property: property, transaction) {
                try transaction.set(table, key, ColumnKey(rawValue: UInt16(index)), value)
            }
        }
        try transaction.set(
            table, key, ColumnKey(rawValue: 3),
            .string(longText(0xFFFFF8 - 9)))
        try transaction.set(
            table, key, ColumnKey(rawValue: 4),
            .data([UInt8](repeating: 0, count: 0xFFFFF8 - 8)))
        try expectTrue(transaction.commit(timestampMicroseconds: 0).bulk != nil)
    }

    @Test func aTransactionBeyondTheLimitOfARecordIsABulkCommit() throws {
        for count in [1, 1000] {
            let transaction = EngineTransaction(base: .empty)
            let table = try transaction.addTable(
                name: "A", columns: [ColumnDefinition(name: "s", type: .string)])
            for number in 0..<count {
                _ = try transaction.insert(
                    table, [.string(String(repeating: "x", count: 1000 / count + 1) + "\(number)")])
            }
            let commit = try transaction.commit(
                timestampMicroseconds: 7, maximumBodyByteCount: count == 1 ? 1000 : 2000)
            expectEqual(commit.bulk?.timestampMicroseconds, 7)
            expectTrue(commit.body.isEmpty)
            expectEqual(commit.summary.tables[table]?.inserted.count, count)
        }
    }

    @Test func aTransactionWithinTheLimitHasARecord() throws {
        func commit(_ maximumByteCount: Int) throws -> Commit {
            let transaction = EngineTransaction(base: .empty)
            let table = try transaction.addTable(
                name: "A", columns: [ColumnDefinition(name: "s", type: .string)])
            _ = try transaction.insert(table, [.string(String(repeating: "x", count: 1000))])
            return try transaction.commit(
                timestampMicroseconds: 0, maximumBodyByteCount: maximumByteCount)
        }
        let byteCount = try commit(1100).body.count
        try expectTrue(commit(byteCount - 1).bulk != nil)
        for maximumByteCount in [byteCount, byteCount + 1] {
            let commit = try commit(maximumByteCount)
            expectNil(commit.bulk)
            try expectEqual(
                CommitRecord.apply(commit.body, to: .empty).root.stateHash(),
                commit.root.stateHash())
        }
    }

    @Test func nilIsAUniqueKeyOfAnOptionalPrimaryKey() throws {
        for type in ValueType.plain where type.canBePrimaryKey {
            let transaction = EngineTransaction(base: .empty)
            let table = try transaction.addTable(
                name: "A",
                columns: [
                    ColumnDefinition(name: "k", type: type, isOptional: true, isPrimaryKey: true)
                ])
            let key = try transaction.insert(table, [.null])
            expectEqual(transaction.find(table, primaryKey: .null), key)
            let zero = try transaction.insert(table, [type.zero])
            expectEqual(transaction.find(table, primaryKey: type.zero), zero)
            expect(.duplicatePrimaryKey, className: "A", property: "k", transaction) {
                _ = try transaction.insert(table, [.null])
            }
        }
    }

    @Test func columnSetsHoldAnyColumn() {
        let columns = [0, 1, 63, 64, 65, 127, 128, 1000, 65534].map { ColumnKey(rawValue: $0) }
        var set = ColumnSet(columns.reversed())
        expectEqual(set.columns, columns)
        for column in columns { expectTrue(set.contains(column)) }
        expectTrue(!set.contains(ColumnKey(rawValue: 2)) && !set.contains(ColumnKey(rawValue: 999)))
        var other = ColumnSet([ColumnKey(rawValue: 5)])
        expectTrue(other != set && !other.isEmpty && ColumnSet().isEmpty)
        other.formUnion(set)
        set.insert(ColumnKey(rawValue: 5))
        expectTrue(other == set && other.hashValue == set.hashValue)
    }
}

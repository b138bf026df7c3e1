import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Rows of a table against a dictionary.
@Suite struct TableTests {
    /// Multiplies the length of the random tests.
    static let rounds = Effort.count(gate: 1, soak: 10)

    static func allColumns() -> [ColumnSchema] {
        var columns: [ColumnSchema] = []
        for type in ValueType.plain {
            for isOptional in [false, true] {
                columns.append(
                    TableTrial.column(columns.count, type, isOptional: isOptional))
            }
        }
        return columns
    }

    @Test func everyVersionKeepsItsRows() throws {
        var generator = SeededRandom("everyVersionKeepsItsRows")
        for _ in 0..<2 * Self.rounds {
            let trial = TableTrial(columns: Self.allColumns())
            for _ in 0..<120 { try step(trial, &generator) }
            try trial.checkAll()
            try trial.end()
        }
    }

    func step(_ trial: TableTrial, _ generator: inout SeededRandom) throws {
        switch generator.below(20) {
        case 0..<7: append(trial, &generator, count: 1 + generator.below(40))
        case 7..<11: set(trial, &generator, count: 1 + generator.below(30))
        case 11, 12: remove(trial, &generator, count: 1 + generator.below(40))
        case 13: removeMany(trial, &generator)
        case 14 where generator.oneIn(3) && trial.columns.count < 30: addColumn(trial, &generator)
        case 15, 16: trial.commit()
        case 17 where generator.oneIn(2): trial.abort()
        case 17:
            if let edit = trial.edit { trial.hold(edit.freeze()) }
        case 18:
            settle(trial)
            trial.commit()
        case 19:
            // The base of an ongoing edit is retained.
            let stamp = trial.edit?.firstStamp ?? .max
            let old = trial.held.count { $0.stamp < stamp } - 1
            if old > 3 { for _ in 3..<old { trial.release(generator.below(3)) } }
            if generator.oneIn(3) { try trial.checkAll() }
        default: append(trial, &generator, count: 3)
        }
    }

    private func row(_ trial: TableTrial, _ generator: inout SeededRandom) -> [Value] {
        trial.columns.map { generator.stored($0.type, isOptional: $0.isOptional) }
    }

    private func append(_ trial: TableTrial, _ generator: inout SeededRandom, count: Int) {
        let edit = trial.currentEdit
        let skip = generator.oneIn(6) ? 1 + generator.below(generator.oneIn(5) ? 40_000 : 300) : 0
        for index in 0..<count {
            let values = row(trial, &generator)
            var key = trial.table.nextKey
            let expected = TableTrial.Row(values: values, version: trial.version)
            if index == 0, skip > 0 {
                key += UInt64(skip)
                trial.withAppender {
                    $0.append(values, at: key, to: &$1, version: expected.version)
                }
            } else if generator.oneIn(10) {
                let columns = trial.columns
                key = trial.table.append(
                    values, version: expected.version, columns: columns, edit: edit)
            } else {
                let given = generator.oneIn(8) ? row(trial, &generator) : nil
                trial.withAppender {
                    if let given {
                        // Begun and abandoned.
                        _ = $0.open(&$1)
                        for column in 0..<given.count / 2 * 2 { $0.put(column, given[column]) }
                    }
                    key = $0.append(values, to: &$1, version: expected.version)
                }
            }
            trial.rows[key] = expected
        }
    }

    private func set(_ trial: TableTrial, _ generator: inout SeededRandom, count: Int) {
        guard trial.table.count > 0 else { return }
        let edit = trial.currentEdit
        var key = trial.table.key(at: generator.below(trial.table.count))
        for _ in 0..<count {
            if generator.oneIn(3) {
                key = trial.table.key(at: generator.below(trial.table.count))
            }
            let column = trial.columns[generator.below(trial.columns.count)]
            let value = generator.stored(column.type, isOptional: column.isOptional)
            let columns = trial.columns
            let version = trial.version
            let isSet: Bool
            switch value {
            case .int(let x) where generator.oneIn(2):
                isSet = trial.table.setInt(
                    key, column.key, x, version: version, columns: columns, edit: edit)
            case .double(let x) where generator.oneIn(2):
                isSet = trial.table.setDouble(
                    key, column.key, x, version: version, columns: columns, edit: edit)
            default:
                isSet = trial.table.set(
                    key, column.key, value, version: version, columns: columns, edit: edit)
            }
            expectTrue(isSet)
            trial.rows[key]?.values[column.key.index] = value
            trial.rows[key]?.version = version
        }
        let gone = trial.table.set(
            trial.table.nextKey + 5, trial.columns[0].key, .bool(true), version: 1,
            columns: trial.columns, edit: edit)
        expectTrue(!gone)
    }

    private func remove(_ trial: TableTrial, _ generator: inout SeededRandom, count: Int) {
        let edit = trial.currentEdit
        for _ in 0..<min(count, trial.table.count) {
            let key = trial.table.key(at: generator.below(trial.table.count))
            let isRemoved = trial.table.remove(key, edit: edit)
            expectTrue(isRemoved)
            expectTrue(!trial.table.contains(key))
            trial.rows[key] = nil
        }
    }

    /// Removes a run of rows, so that clusters become empty.
    private func removeMany(_ trial: TableTrial, _ generator: inout SeededRandom) {
        guard trial.table.count > 0 else { return }
        let edit = trial.currentEdit
        var key = generator.oneIn(3) ? 0 : trial.table.key(at: generator.below(trial.table.count))
        for _ in 0..<generator.below(400) {
            guard let next = trial.table.firstKey(from: key) else { return }
            let isRemoved = trial.table.remove(next, edit: edit)
            expectTrue(isRemoved)
            trial.rows[next] = nil
            key = next
        }
    }

    private func addColumn(_ trial: TableTrial, _ generator: inout SeededRandom) {
        let type = ValueType.plain[generator.below(8)]
        let isOptional = generator.oneIn(2)
        let value = generator.stored(type, isOptional: isOptional)
        _ = trial.currentEdit
        trial.columns.append(
            TableTrial.column(
                trial.columns.count, type, isOptional: isOptional, defaultValue: value))
        for key in trial.rows.keys { trial.rows[key]?.values.append(value) }
    }

    /// As at a commit, keys above the last new row are assigned again.
    private func settle(_ trial: TableTrial) {
        let edit = trial.currentEdit
        let last = trial.table.lastKey().map { $0 + 1 } ?? 0
        trial.table.setNextKey(max(last, trial.firstNewKey), edit: edit)
    }

    @Test func rowsOfSeveralClustersAreFound() throws {
        let columns = [TableTrial.column(0, .int, isOptional: false)]
        let trial = TableTrial(columns: columns)
        let count = 5000
        for index in 0..<count {
            trial.withAppender { _ = $0.append([.int(Int64(index))], to: &$1, version: 7) }
            trial.rows[UInt64(index)] = TableTrial.Row(values: [.int(Int64(index))], version: 7)
        }
        trial.commit()
        try trial.checkAll()
        expectEqual(trial.table.height, 1)
        expectTrue(!trial.table.contains(UInt64(count)))
        expectEqual(trial.table.key(at: 4321), 4321)
        expectEqual(trial.table.position(of: 4321), 4321)
        expectEqual(trial.table.position(of: .max), count)
        expectNil(trial.table.firstKey(from: UInt64(count)))
        try trial.end()
    }

    @Test func keysFarApartGrowTheTree() throws {
        let columns = [TableTrial.column(0, .string, isOptional: true)]
        let trial = TableTrial(columns: columns)
        let edit = trial.currentEdit
        for key: UInt64 in [0, 1023, 1024, 1 << 20, 1 << 40, 1 << 62, .max - 1] {
            trial.table.append([.null], at: key, version: 2, columns: columns, edit: edit)
            trial.rows[key] = TableTrial.Row(values: [.null], version: 2)
        }
        expectEqual(trial.table.height, Table.maximumHeight)
        try trial.checkAll()
        for key in trial.rows.keys.sorted() {
            let isRemoved = trial.table.remove(key, edit: edit)
            expectTrue(isRemoved)
            trial.rows[key] = nil
        }
        try trial.checkAll()
        try trial.end()
    }

    @Test func aRowThatWasOpenWhenTheEditWasFrozenLeavesNoValue() throws {
        let trial = TableTrial(columns: [TableTrial.column(0, .int, isOptional: true)])
        trial.withAppender { appender, table in
            _ = appender.open(&table)
            appender.putInt(0, 7)
        }
        trial.hold(trial.currentEdit.freeze())
        trial.withAppender { appender, table in
            let key = appender.append([.null], to: &table, version: 2)
            trial.rows[key] = TableTrial.Row(values: [.null], version: 2)
        }
        try trial.checkAll()
        try trial.end()
    }

    @Test func appendingAfterACommitCopiesOnlyThePath() throws {
        let columns = Self.allColumns()
        let trial = TableTrial(columns: columns)
        let values: [Value] = columns.map { $0.isOptional ? .null : $0.type.zero }
        for index in 0..<20 {
            trial.withAppender { _ = $0.append(values, to: &$1, version: 8) }
            trial.rows[UInt64(index)] = TableTrial.Row(values: values, version: 8)
        }
        trial.commit()
        let edit = trial.currentEdit
        let before = trial.store.usage.nodeCount
        let key = trial.table.append(values, version: 9, columns: columns, edit: edit)
        trial.rows[key] = TableTrial.Row(values: values, version: 9)
        // The table node and the cluster; the chunk of versions is new.
        expectEqual(edit.copyCount, 2)
        expectEqual(trial.store.usage.nodeCount, before + 3)
        try trial.checkAll()
        try trial.end()
    }

    @Test func aKeyGivenAgainDoesNotTouchTheRootThatShowsItsFormerRow() throws {
        let columns = [
            TableTrial.column(0, .int, isOptional: true),
            TableTrial.column(1, .string, isOptional: false),
        ]
        let trial = TableTrial(columns: columns)
        let edit = trial.currentEdit
        func append(_ number: Int64) {
            let values: [Value] = [.int(number), .string("more than twelve: \(number)")]
            let version = trial.version
            var key: UInt64 = 0
            trial.withAppender { key = $0.append(values, to: &$1, version: version) }
            trial.rows[key] = TableTrial.Row(values: values, version: version)
        }
        for number in 0..<10 { append(Int64(number)) }
        trial.hold(edit.freeze())
        for key: UInt64 in [8, 9] {
            let isRemoved = trial.table.remove(key, edit: edit)
            expectTrue(isRemoved)
            trial.rows[key] = nil
        }
        trial.table.setNextKey(8, edit: edit)
        trial.commit()
        _ = trial.currentEdit
        append(100)
        append(101)
        expectEqual(trial.table.nextKey, 10)
        try trial.checkAll()
        try trial.end()
    }

    @Test func deletedRowsGetNoLargeDefault() throws {
        let trial = TableTrial(columns: [TableTrial.column(0, .int, isOptional: false)])
        let edit = trial.currentEdit
        let version = trial.version
        for row in 0..<20 as Range<UInt64> {
            trial.withAppender { _ = $0.append([.int(7)], to: &$1, version: version) }
            trial.rows[row] = TableTrial.Row(values: [.int(7)], version: version)
        }
        func remove(_ keys: Range<UInt64>) {
            for key in keys {
                let isRemoved = trial.table.remove(key, edit: edit)
                expectTrue(isRemoved)
                trial.rows[key] = nil
            }
        }
        func addColumn(_ byte: UInt8) {
            let value = Value.data([UInt8](repeating: byte, count: 5_000))
            trial.columns.append(
                TableTrial.column(
                    trial.columns.count, .data, isOptional: false, defaultValue: value))
            for key in trial.rows.keys { trial.rows[key]?.values.append(value) }
            trial.withAppender {
                _ = $0.open(&$1)
                $0.cancel()
            }
        }
        func largeCount(_ column: Int) throws -> Int {
            let cluster = try requireValue(trial.table.cluster(containing: 0))
            guard let list = cluster.largeList(column) else { return 0 }
            return (0..<list.count).count { !list.isFree($0) }
        }
        remove(0..<3)
        remove(5..<18)
        addColumn(1)
        try expectEqual(largeCount(1), 4)
        try trial.checkAll()
        remove(3..<5)
        remove(18..<20)
        addColumn(2)
        try expectEqual(largeCount(1), 0)
        try expectEqual(largeCount(2), 0)
        trial.commit()
        try trial.checkAll()
        try trial.end()
    }
}

import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels

/// The part of the engine's layout that inlined reads duplicate.
@Suite struct ClusterLayoutTests {
    @Test func inlinedReadsAgreeWithTheEngine() throws {
        expectTrue(rowsPerCluster == 1024 && Node.headerByteCount == 16)
        let definitions = (0..<3).flatMap { number in
            [
                ColumnDefinition(name: "int\(number)", type: .int),
                ColumnDefinition(name: "double\(number)", type: .double, isOptional: true),
                ColumnDefinition(name: "text\(number)", type: .string),
                ColumnDefinition(name: "flag\(number)", type: .bool),
            ]
        }
        let transaction = EngineTransaction(base: .empty)
        let table = try transaction.addTable(name: "T", columns: definitions)
        let ints: [Int64] = [3, -300, 70_000, .max]
        let texts = ["", "short", "a text that is stored elsewhere", "\u{EF}"]
        for row in 0..<1_100 {
            var values: [Value] = []
            for number in 0..<3 {
                let pick = (row + number) % 4
                values += [
                    .int(number == 0 ? ints[pick % 2] : ints[pick]),
                    pick == 0 ? .null : .double(Double(row)), .string(texts[pick]),
                    .bool(pick == 1),
                ]
            }
            _ = try transaction.insert(table, values)
        }
        let columnCount = definitions.count
        for row in 0..<1_100 {
            let cluster = try requireValue(
                transaction.cluster(0, UInt64(row), columnCount: columnCount))
            let key = ObjectKey(rawValue: UInt64(row))
            for column in 0..<columnCount {
                let value = transaction.value(table, key, ColumnKey(rawValue: UInt16(column)))
                let place = row & 1023
                switch definitions[column].type {
                case .int: expectEqual(Int._read(cluster, column, place)?.engineValue, value)
                case .double:
                    expectEqual(Double?._read(cluster, column, place)?.engineValue, value)
                case .string: expectEqual(String._read(cluster, column, place)?.engineValue, value)
                default: expectEqual(Bool._read(cluster, column, place)?.engineValue, value)
                }
            }
        }
        expectNil(transaction.cluster(0, 0, columnCount: columnCount + 1))
        expectNil(transaction.cluster(0, 5_000, columnCount: 0))
        expectNil(transaction.cluster(1, 0, columnCount: 0))
    }
}

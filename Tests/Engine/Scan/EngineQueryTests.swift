import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

@Suite struct EngineQueryTests {
    /// Columns of the class, and one that it doesn't have.
    static let columns =
        Everything.columns + [
            ColumnDefinition(name: "absent", type: .string, defaultValue: .string("a")),
            ColumnDefinition(name: "absent?", type: .double, isOptional: true),
        ]

    private func makeRoot(_ generator: inout SeededRandom, count: Int) throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        let table = try transaction.addTable(name: Everything.name, columns: Everything.columns)
        for id in 0..<count {
            _ = try transaction.insert(table, Everything.row(Int64(id), &generator))
        }
        return try commitAndReplay(transaction).root
    }

    @Test func agreeWithANaiveEvaluator() throws {
        var generator = SeededRandom("EngineQueryTests.agreeWithANaiveEvaluator")
        for _ in 0..<10 {
            let root = try makeRoot(&generator, count: 60)
            let items = NaiveQuery.items(root, Everything.name)
            for _ in 0..<400 {
                let plan = QueryPlan(
                    tableName: Everything.name,
                    predicate: generator.predicate(EngineQueryTests.columns, depth: 3),
                    sort: generator.sort(EngineQueryTests.columns))
                let result = try plan.evaluate(root)
                let expected = NaiveQuery.evaluate(plan, items)
                expectEqual(Array(result), expected, "\(plan)")
                try expectEqual(plan.count(root), expected.count)
                if result.count == expected.count, let last = expected.last {
                    expectEqual(result[expected.count - 1], last)
                }
            }
        }
    }

    /// Also for more values than are compared one by one, and of other types than the column.
    @Test func inAgreesWithEquality() throws {
        let setup = EngineTransaction(base: .empty)
        let table = try setup.addTable(
            name: "Number",
            columns: [
                ColumnDefinition(name: "double", type: .double),
                ColumnDefinition(name: "decimal", type: .decimal),
                ColumnDefinition(name: "any", scalar: .any, isOptional: true, isIndexed: true),
            ])
        let texts = [
            "0", "-0", "0.5", "0.50", "-0.5", "0.1", "3", "3.0", "1e20", "1e300",
            "9007199254740993",
            "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e-300",
            "Infinity", "-Infinity", "NaN",
        ]
        let decimals = try texts.map { try requireValue(DecimalBits(text: $0)) }
        for decimal in decimals {
            let double = decimal.doubleValue
            for any in [AnyContent.decimal(decimal), .double(double)] {
                _ = try setup.insert(table, [.double(double), .decimal(decimal), any.value])
            }
        }
        let root = try setup.commit(timestampMicroseconds: 1).root
        let numbers: [Value] =
            decimals.map { .decimal($0) } + decimals.map { .double($0.doubleValue) }
            + decimals.compactMap { $0.exactInt64.map { .int($0) } }
        let anys: [Value] = decimals.flatMap {
            [AnyContent.decimal($0).value, AnyContent.double($0.doubleValue).value]
        }
        for (name, type, values) in [
            ("double", ValueType.double, numbers), ("decimal", .decimal, numbers),
            ("any", .any, anys),
        ] {
            let missing = type == .any ? Value.null : type.zero
            let column = ColumnReference(name: name, type: type, missing: missing)
            for value in values {
                let one = QueryPlan(
                    tableName: "Number", predicate: .compare(column, .equal, value))
                let isIn = QueryPlan(
                    tableName: "Number",
                    predicate: .isIn(column, Array(repeating: value, count: 20)))
                try expectEqual(
                    Array(isIn.evaluate(root)), Array(one.evaluate(root)), "\(name) \(value)")
            }
        }
    }

    // Covers 3.6
    @Test func notIsTheExactComplement() throws {
        var generator = SeededRandom("EngineQueryTests.notIsTheExactComplement")
        let root = try makeRoot(&generator, count: 100)
        for _ in 0..<300 {
            let predicate = generator.predicate(EngineQueryTests.columns, depth: 2)
            let plan = QueryPlan(tableName: Everything.name, predicate: predicate)
            let complement = QueryPlan(tableName: Everything.name, predicate: .not(predicate))
            let keys = try Set(plan.evaluate(root))
            let others = try Set(complement.evaluate(root))
            expectTrue(keys.isDisjoint(with: others) && keys.count + others.count == 100)
        }
    }

    // Covers 1.24, 10.2
    @Test func equalityUsesThePrimaryKeyAndIndexes() throws {
        let transaction = EngineTransaction(base: .empty)
        let columns = [
            ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
            ColumnDefinition(name: "room", type: .string, isIndexed: true),
            ColumnDefinition(name: "text", type: .string),
        ]
        let table = try transaction.addTable(name: "Message", columns: columns)
        for id in 0..<2000 {
            _ = try transaction.insert(
                table, [.int(Int64(id)), .string("room \(id % 20)"), .string("text \(id)")])
        }
        let root = try commitAndReplay(transaction).root
        func evaluated(_ predicate: Predicate) throws -> (count: Int, rows: Int, usedIndex: Bool) {
            var statistics = QueryStatistics()
            let plan = QueryPlan(tableName: "Message", predicate: predicate)
            let result = try plan.evaluate(root, statistics: &statistics)
            return (result.count, statistics.rowsEvaluated, statistics.usedIndex)
        }
        let id = Everything.reference(columns[0])
        let room = Everything.reference(columns[1])
        let text = Everything.reference(columns[2])
        let isSeven = Predicate.compare(id, .equal, .int(7))
        let isInRoom = Predicate.compare(room, .equal, .string("room 3"))
        let isInNone = Predicate.compare(room, .equal, .string("none"))
        let hasText = Predicate.compare(text, .notEqual, .string(""))
        try expectTrue(evaluated(isSeven) == (1, 1, true))
        try expectTrue(evaluated(isInRoom) == (100, 100, true))
        try expectTrue(evaluated(isInNone) == (0, 0, true))
        try expectTrue(evaluated(.and([hasText, isInRoom])) == (100, 100, true))
        try expectTrue(evaluated(.and([isInRoom, .and([hasText, isSeven])])) == (0, 1, true))
        try expectTrue(evaluated(.or([isSeven, isInRoom])) == (101, 101, true))
        try expectTrue(evaluated(.or([isSeven, hasText])) == (2000, 2000, false))
        try expectTrue(evaluated(.not(isSeven)) == (1999, 2000, false))
        try expectTrue(evaluated(.constant(false)) == (0, 0, false))
    }

    @Test func classesAndPropertiesThatDoNotExistYetReadAsEmptyAndMissing() throws {
        let nowhere = QueryPlan(tableName: "Nowhere")
        try expectTrue(nowhere.evaluate(.empty).isEmpty)
        var generator = SeededRandom("EngineQueryTests.classesAndProperties")
        let root = try makeRoot(&generator, count: 5)
        let absent = ColumnReference(name: "absent", type: .int, missing: .int(3))
        let plan = QueryPlan(
            tableName: Everything.name, predicate: .compare(absent, .equal, .int(3)))
        try expectEqual(plan.evaluate(root).count, 5)
    }

    @Test func wrongTypesAreRefused() throws {
        var generator = SeededRandom("EngineQueryTests.wrongTypes")
        let root = try makeRoot(&generator, count: 5)
        func code(_ predicate: Predicate) -> StoreError.Code? {
            do throws(StoreError) {
                _ = try QueryPlan(tableName: Everything.name, predicate: predicate).evaluate(root)
                return nil
            } catch {
                return error.code
            }
        }
        let string = ColumnReference(name: "string", type: .string, missing: .null)
        let wrong = ColumnReference(name: "string", type: .int, missing: .null)
        expectEqual(code(.compare(string, .equal, .int(1))), .invalidQuery)
        expectEqual(code(.compareColumns(string, .equal, wrong)), .invalidQuery)
        expectEqual(code(.compare(wrong, .equal, .int(1))), .schemaMismatch)
        expectNil(code(.compare(string, .equal, .null)))
    }

    @Test func aQueryInsideATransactionSeesItsChanges() throws {
        var generator = SeededRandom("EngineQueryTests.aQueryInsideATransaction")
        let root = try makeRoot(&generator, count: 20)
        let transaction = EngineTransaction(base: root)
        let table = try requireValue(transaction.schema.table(named: Everything.name)).key
        let plan = QueryPlan(tableName: Everything.name)
        let key = try transaction.insert(table, Everything.row(100, &generator))
        try expectEqual(plan.evaluate(transaction).last, key)
        transaction.delete(table, key)
        try expectEqual(plan.evaluate(transaction).count, 20)
    }
}

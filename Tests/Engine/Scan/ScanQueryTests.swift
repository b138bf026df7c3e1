import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Queries over several clusters, with deleted, changed and null rows and long and large strings,
/// against the naive evaluator.
@Suite struct ScanQueryTests {
    /// Columns of the class, and one that it doesn't have.
    static let columns =
        Everything.columns + [
            ColumnDefinition(name: "absent", type: .string, defaultValue: .string("a"))
        ]

    /// Creates a class of more than two clusters; the first cluster has one-byte integers.
    private func makeContent(_ generator: inout SeededRandom) -> ScanContent {
        var content = ScanContent(Everything.name, Everything.columns)
        var rows: [[Value]] = []
        for id in 0..<1500 {
            var row = Everything.row(Int64(id), &generator)
            for (index, column) in Everything.columns.enumerated() where index > 0 {
                if case .int = row[index], id < 1024 { row[index] = .int(Int64(id % 100)) }
                if case .string = row[index], generator.oneIn(3) {
                    row[index] = .string(longString(&generator))
                }
                if column.type == .double, id < 512, !row[index].isNull {
                    row[index] = .double(Double(id) / 7)
                }
            }
            rows.append(row)
        }
        content.insert(rows)
        for _ in 0..<150 { content.remove(UInt64(generator.below(1500))) }
        for _ in 0..<150 {
            let column = 1 + generator.below(Everything.columns.count - 1)
            let definition = Everything.columns[column]
            content.set(
                UInt64(generator.below(1500)), column,
                generator.value(definition.type, isOptional: definition.isOptional))
        }
        return content
    }

    private func longString(_ generator: inout SeededRandom) -> String {
        if generator.oneIn(100) {
            return String(repeating: "large ", count: 900) + "\(generator.below(3))"
        }
        return "Find me in a long string, number \(generator.below(20))"
    }

    @Test func agreeWithANaiveEvaluatorOverSeveralClusters() throws {
        var generator = SeededRandom("ScanQueryTests.agreeWithANaiveEvaluator")
        let root = makeContent(&generator).root
        let items = NaiveQuery.items(root, Everything.name)
        for _ in 0..<60 {
            let plan = QueryPlan(
                tableName: Everything.name,
                predicate: generator.predicate(ScanQueryTests.columns, depth: 2),
                sort: generator.sort(ScanQueryTests.columns))
            let expected = NaiveQuery.evaluate(plan, items)
            let result = try plan.evaluate(root)
            expectEqual(Array(result), expected, "\(plan)")
            try expectEqual(plan.count(root), expected.count, "\(plan)")
            try expectEqual(plan.firstKeys(1, QueryState(root)).first, expected.first)
            let limit = generator.below(40)
            try expectEqual(
                plan.firstKeys(limit, QueryState(root)), Array(expected.prefix(limit)), "\(plan)")
            if let last = expected.last { expectEqual(result[expected.count - 1], last) }
        }
    }

    @Test func everySingleComparisonAgrees() throws {
        var generator = SeededRandom("ScanQueryTests.everySingleComparison")
        let root = makeContent(&generator).root
        let items = NaiveQuery.items(root, Everything.name)
        for column in ScanQueryTests.columns {
            for comparison in Comparison.allCases {
                let value = generator.value(column.type, isOptional: true)
                let plan = QueryPlan(
                    tableName: Everything.name,
                    predicate: .compare(Everything.reference(column), comparison, value))
                let expected = NaiveQuery.evaluate(plan, items)
                try expectEqual(Array(plan.evaluate(root)), expected, "\(plan)")
                try expectEqual(plan.count(root), expected.count, "\(plan)")
            }
        }
    }

    @Test func largeStringsAreComparedAndSearchedWhole() throws {
        var generator = SeededRandom("ScanQueryTests.largeStrings")
        let root = makeContent(&generator).root
        let items = NaiveQuery.items(root, Everything.name)
        let column = Everything.columns.first { $0.name == "string" } ?? Everything.columns[0]
        let reference = Everything.reference(column)
        let large = String(repeating: "large ", count: 900) + "1"
        var predicates = Comparison.allCases.map {
            Predicate.compare(reference, $0, .string(large))
        }
        for match in [TextMatch.contains, .beginsWith, .endsWith] {
            for pattern in ["large 1", "large large", "large"] {
                predicates.append(
                    .matchText(
                        reference, match, StoredText(pattern), ignoring: []))
            }
        }
        for predicate in predicates {
            let plan = QueryPlan(
                tableName: Everything.name, predicate: predicate,
                sort: [SortTerm(column: reference, ascending: false)])
            try expectEqual(Array(plan.evaluate(root)), NaiveQuery.evaluate(plan, items))
        }
    }

    @Test func aggregatesLeaveNullAndNaNOutAsTheyPromise() throws {
        var generator = SeededRandom("ScanQueryTests.aggregates")
        let root = makeContent(&generator).root
        let items = NaiveQuery.items(root, Everything.name)
        let numeric = Everything.columns.filter { [.int, .double, .date].contains($0.type) }
        for round in 0..<60 {
            let column = numeric[round % numeric.count]
            let reference = Everything.reference(column)
            var predicate = generator.predicate(Everything.columns, depth: 1)
            if round < numeric.count { predicate = .constant(true) }
            let plan = QueryPlan(tableName: Everything.name, predicate: predicate)
            let values = items.filter { NaiveQuery.matches(predicate, $0) }
                .compactMap { $0.values[column.name] }.filter { !$0.isNull }
            let ordered = values.filter {
                NaiveQuery.holds($0, .equal, $0, isStringAgainstNil: false)
            }
            let least = ordered.min { NaiveQuery.isBefore($0, $1) }
            let greatest = ordered.max { NaiveQuery.isBefore($0, $1) }
            try expectSameValue(plan.minimum(of: reference, QueryState(root)), least)
            try expectSameValue(plan.maximum(of: reference, QueryState(root)), greatest)
            if column.type == .int { try checkSum(plan, reference, root, values) }
            if column.type == .double, !values.contains(where: { $0.isHuge }) {
                let doubles = values.map { value -> Double in
                    if case .double(let x) = value { x } else { 0 }
                }
                let sum = doubles.reduce(0, +)
                guard case .double(let found) = try plan.sum(of: reference, QueryState(root)) else {
                    throw TestFailure("the sum of doubles is not a double")
                }
                expectTrue(found == sum || abs(found - sum) < 1e-6 || found.isNaN && sum.isNaN)
            }
        }
    }

    private func expectSameValue(_ a: Value?, _ b: Value?) {
        guard let a, let b else {
            expectTrue(a == nil && b == nil)
            return
        }
        expectTrue(NaiveQuery.holds(a, .equal, b, isStringAgainstNil: false), "\(a) \(b)")
    }

    private func checkSum(
        _ plan: QueryPlan, _ column: ColumnReference, _ root: DatabaseRoot, _ values: [Value]
    ) throws {
        let integers = values.map { value -> Int128 in
            if case .int(let x) = value { Int128(x) } else { 0 }
        }
        let sum = integers.reduce(0, +)
        let average = try plan.average(of: column, QueryState(root))
        let mean = values.isEmpty ? nil : Value.double(Double(sum) / Double(values.count))
        expectEqual(average, mean)
        guard let exact = Int64(exactly: sum) else {
            #expect(throws: StoreError.self) { try plan.sum(of: column, QueryState(root)) }
            return
        }
        try expectEqual(plan.sum(of: column, QueryState(root)), .int(exact))
    }

    @Test func rangesAndExactCountsComeFromTheIndex() throws {
        let columns = [
            ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
            ColumnDefinition(name: "age", type: .int, isIndexed: true),
            ColumnDefinition(name: "age?", type: .int, isOptional: true, isIndexed: true),
            ColumnDefinition(name: "name", type: .string, isIndexed: true),
        ]
        var content = ScanContent("Person", columns)
        // An integer whose key equals that of null.
        let marker = Int64.min + 0x6E75_6C6C
        content.insert(
            (0..<3000).map { id in
                let age = Int64(id % 100)
                let optional: Value = id % 10 == 0 ? .null : (id == 5 ? .int(marker) : .int(age))
                return [.int(Int64(id)), .int(age), optional, .string("name \(id % 300)")]
            })
        let root = content.root
        let items = NaiveQuery.items(root, "Person")
        let references = columns.map { Everything.reference($0) }
        func check(_ predicate: Predicate, _ rows: Int, usesIndex: Bool = true) throws {
            let plan = QueryPlan(tableName: "Person", predicate: predicate)
            let expected = NaiveQuery.evaluate(plan, items)
            var statistics = QueryStatistics()
            try expectEqual(plan.count(root, statistics: &statistics), expected.count)
            expectTrue(statistics.rowsEvaluated == rows && statistics.usedIndex == usesIndex)
            try expectEqual(Array(plan.evaluate(root)), expected)
        }
        let (age, optional, name) = (references[1], references[2], references[3])
        try check(.compare(age, .equal, .int(42)), 0)
        try check(.compare(age, .less, .int(42)), 0)
        try check(.compare(age, .greaterOrEqual, .double(41.5)), 0)
        try check(.and([.compare(age, .greater, .int(10)), .compare(age, .less, .int(13))]), 0)
        try check(.and([.compare(age, .greater, .int(13)), .compare(age, .less, .int(10))]), 0)
        try check(.compare(optional, .equal, .int(42)), 0)
        try check(.compare(optional, .equal, .null), 301)
        try check(.compare(optional, .equal, .int(marker)), 301)
        try check(.compare(optional, .less, .int(3)), 300 + 1 + 30 * 2)
        try check(.compare(name, .equal, .string("name 7")), 10)
        try check(.isIn(age, [.int(3), .int(5), .int(3)]), 60)
        try check(
            .and([.compare(name, .equal, .string("name 7")), .compare(age, .equal, .int(7))]), 10)
        try check(.compare(name, .less, .string("name 2")), 3000, usesIndex: false)
    }
}

extension Value {
    /// Whether the value is so large that sums depend on the order of the additions.
    fileprivate var isHuge: Bool {
        if case .double(let x) = self { abs(x) > 1e15 } else { false }
    }
}

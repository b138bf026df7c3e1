import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Results that are read from their root: the keys stay the same after later commits.
@Suite struct LazyResultTests {
    private static let columns = [
        ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
        ColumnDefinition(name: "room", type: .int, isIndexed: true),
        ColumnDefinition(name: "room?", type: .int, isOptional: true, isIndexed: true),
    ]

    private func makeContent(_ generator: inout SeededRandom) -> ScanContent {
        var content = ScanContent("Message", LazyResultTests.columns)
        content.insert(
            (0..<6_000).map { id in
                let room = Value.int(Int64(generator.below(3)))
                return [.int(Int64(id)), room, generator.oneIn(3) ? .null : room]
            })
        for _ in 0..<400 { content.remove(UInt64(generator.below(6_000))) }
        return content
    }

    private func plans() -> [QueryPlan] {
        let columns = LazyResultTests.columns.map { Everything.reference($0) }
        var predicates: [Predicate] = [.constant(true)]
        for column in columns.dropFirst() {
            for room in 0..<4 { predicates.append(.compare(column, .equal, .int(Int64(room)))) }
            predicates.append(.compare(column, .equal, .null))
        }
        return predicates.map { QueryPlan(tableName: "Message", predicate: $0) }
    }

    @Test func allWaysToReadAResultAgree() throws {
        var generator = SeededRandom("LazyResultTests.allWaysToReadAResultAgree")
        var content = makeContent(&generator)
        var held: [(plan: QueryPlan, root: DatabaseRoot, result: ResultTree, keys: [ObjectKey])] =
            []
        for _ in 0..<4 {
            let root = content.root
            let items = NaiveQuery.items(root, "Message")
            for plan in plans() {
                let expected = NaiveQuery.evaluate(plan, items)
                let result = try plan.evaluate(root)
                expectEqual(result.count, expected.count)
                expectEqual(Array(result), expected)
                for _ in 0..<20 where !expected.isEmpty {
                    let position = generator.below(expected.count)
                    expectEqual(result[position], expected[position])
                }
                expectEqual(Array(result.prepared()), expected)
                let transaction = EngineTransaction(base: root)
                try expectEqual(Array(plan.evaluate(transaction)), expected)
                try expectEqual(Array(plan.evaluate(QueryState(root))), expected)
                held.append((plan, root, result, expected))
            }
            for _ in 0..<100 {
                let key = UInt64(generator.below(6_000))
                if generator.oneIn(3) {
                    content.remove(key)
                } else {
                    content.set(key, 1 + generator.below(2), .int(Int64(generator.below(3))))
                }
            }
        }
        for (plan, root, result, expected) in held {
            expectEqual(Array(result), expected)
            let step = VersionStep(from: root, to: content.root, summaries: nil)
            let (new, change) = try plan.advance(result, step)
            try expectEqual(Array(new), Array(plan.evaluate(content.root)))
            expectEqual(AdvanceTests.apply(change, expected, Array(new)), Array(new))
        }
    }

    @Test func aResultHoldsItsRootAndAFollowedOneDoesNot() throws {
        var generator = SeededRandom("LazyResultTests.aResultHoldsItsRoot")
        var content = makeContent(&generator)
        weak var root: DatabaseRoot?
        let plan = QueryPlan(tableName: "Message")
        var result: ResultTree
        do {
            let first = content.root
            root = first
            result = try plan.evaluate(first)
            content.set(first.key(TableKey(rawValue: 0), at: 0).rawValue, 1, .int(7))
            let step = VersionStep(from: first, to: content.root, summaries: nil)
            let (followed, _) = try plan.advance(result, step)
            expectEqual(followed.count, result.count)
            expectTrue(root != nil)
            result = followed
        }
        expectNil(root)
        expectEqual(result.count, content.root.count(TableKey(rawValue: 0)))
    }
}

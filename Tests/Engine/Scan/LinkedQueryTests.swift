import Foundation
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Queries through links, lists and backlinks, over sources, with sorts, distincts and limits,
/// against the naive evaluator on plain values.
@Suite struct LinkedQueryTests {
    /// The number of queries in one run.
    private static let queryCount = Effort.count(gate: 1_500, soak: 6_000)

    @Test func agreeWithANaiveEvaluator() throws {
        var generator = SeededRandom("LinkedQueryTests.agreeWithANaiveEvaluator")
        var done = 0
        while done < LinkedQueryTests.queryCount {
            let isLarge = generator.oneIn(30)
            var world = LinkedWorld(&generator)
            try world.fill(&generator, large: isLarge)
            let count = isLarge ? 15 : 60
            for _ in 0..<count {
                let plan = generator.plan(world, depth: isLarge ? 1 : 2)
                if try !check(plan, world, &generator) { return }
            }
            done += count
        }
    }

    /// Returns `false` after a difference.
    private func check(
        _ plan: QueryPlan, _ world: LinkedWorld, _ generator: inout SeededRandom
    ) throws -> Bool {
        let naive = LinkedNaive(world: world)
        let places = naive.evaluate(plan)
        let expected = places.map { ObjectKey(rawValue: $0.key) }
        let root = world.root
        let state = QueryState(root)
        let result = Array(try plan.evaluate(root))
        guard result == expected else {
            Issue.record("\(plan): \(result), expected \(expected)")
            return false
        }
        try expectEqual(plan.count(root), expected.count, "\(plan)")
        let limit = generator.below(10)
        try expectEqual(plan.firstKeys(limit, state), Array(expected.prefix(limit)), "\(plan)")
        guard let index = naive.index(plan.tableName) else { return true }
        if let key = world.classes[index].keys.randomElement(using: &generator) {
            let key = expected.randomElement(using: &generator) ?? ObjectKey(rawValue: key)
            let position = expected.firstIndex(of: key)
            try expectEqual(plan.position(of: key, state), position, "\(plan)")
            try expectTrue(plan.contains(key, state) == (position != nil), "\(plan)")
        }
        if generator.oneIn(3) {
            let wanted = generator.predicate(world, index, depth: 1)
            let position = places.firstIndex { naive.matches($0, wanted) }
            try expectEqual(plan.firstPosition(where: wanted, state), position, "\(plan) \(wanted)")
        }
        if generator.oneIn(3), let column = generator.reference(world, index, of: [.int, .double]) {
            try checkAggregates(plan, column, state, places.map { naive.value($0, column) })
        }
        return true
    }

    private func checkAggregates(
        _ plan: QueryPlan, _ column: ColumnReference, _ state: QueryState, _ values: [Value]
    ) throws {
        for kind in [AggregateKind.min, .max] {
            let found =
                try kind == .min
                ? plan.minimum(of: column, state) : plan.maximum(of: column, state)
            let expected = LinkedNaive.aggregate(kind, values, column.type)
            expectTrue(
                NaiveQuery.holds(found ?? .null, .equal, expected, isStringAgainstNil: false),
                "\(plan) \(column)")
        }
        guard column.type == .int else { return }
        let integers = LinkedNaive.integers(values)
        let average =
            integers.isEmpty
            ? nil : Value.double(Double(integers.reduce(0, +)) / Double(integers.count))
        try expectEqual(plan.average(of: column, state), average, "\(plan) \(column)")
        if let sum = Int64(exactly: integers.reduce(0, +)) {
            try expectEqual(plan.sum(of: column, state), .int(sum), "\(plan) \(column)")
        } else {
            #expect(throws: StoreError.self) { try plan.sum(of: column, state) }
        }
    }
}

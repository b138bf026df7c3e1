import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Random queries are printed as predicate strings, which find the same objects.
@Suite struct PredicateRoundTripTests {
    // Covers 3.85
    @Test func randomQueriesComeBackFromTheirStrings() async throws {
        let seed = SeededRandom.seed()
        for number in 0..<UInt64(Effort.count(gate: 10, soak: 200)) {
            do {
                try await run(seed &+ number, queryCount: Effort.isSoak ? 100 : 30)
            } catch {
                Issue.record("REGNUM_SEED=\(seed &+ number): \(error)")
                return
            }
        }
    }

    private func run(_ seed: UInt64, queryCount: Int) async throws {
        var random = SeededRandom(seed)
        let world = PlainWorld(nodeCount: [5, 12, 24][Int(seed % 3)], &random)
        let realm = try await Realm.temporary([WorldNode.self, WorldPart.self])
        try await realm.write { try world.store($0) }
        var source = ConditionSource(random: random, nodes: world.nodes)
        let snapshot = realm.snapshot()
        let all = snapshot.objects(WorldNode.self)
        var plans: [PlainPlan] = []
        for number in 0..<queryCount {
            let plan = PlainPlan(&source, ofList: false)
            plans.append(plan)
            let builder = ConditionBuilder(
                isIndexed: number % 2 == 0, transaction: nil, snapshot: snapshot)
            var results = plan.ask(all, builder)
            if number % 3 == 0 { results = results.limited(to: 3) }
            try comesBack(results, of: all) { $0.map(\.id) }
            let live = plan.ask(realm.objects(WorldNode.self), builder)
            try comesBack(live, of: realm.objects(WorldNode.self)) { $0.current.map(\.id) }
            try checkString(&source, snapshot)
        }
        try await realm.write { [plans] tx in
            let all = tx.objects(WorldNode.self)
            for plan in plans {
                let builder = ConditionBuilder(isIndexed: false, transaction: tx, snapshot: nil)
                try comesBack(plan.ask(all, builder), of: all) { $0.map(\.id) }
            }
        }
    }

    /// Checks a query that was a random predicate string.
    private func checkString(_ source: inout ConditionSource, _ snapshot: Snapshot) throws {
        let condition = source.condition()
        var renderer = PredicateRenderer(random: SeededRandom(source.random.next()))
        guard let text = renderer.render(condition), renderer.spelling.arguments.count <= 6,
            renderer.spelling.style != .name
        else { return }
        let all = snapshot.objects(WorldNode.self)
        let values = renderer.spelling.arguments.map { argument in
            argument.value { snapshot.object(WorldNode.self, forPrimaryKey: $0) }
        }
        try comesBack(try all.filter(text, list: values), of: all) { $0.map(\.id) }
    }
}

private struct Difference: Error, CustomStringConvertible {
    let description: String
}

/// Throws unless the string of a query finds the same objects, and is that of the query that it is
/// parsed as.
private func comesBack<Results: Queryable>(
    _ results: Results, of all: Results, _ ids: (Results) -> [Int]
) throws where Results.Model == WorldNode {
    let text: String
    do {
        text = try results.predicate
    } catch {
        throw Difference(description: "\(error.message) for \(results._plan.plan)")
    }
    let parsed = try all.filter(text)
    let (found, expected) = (ids(parsed), ids(results))
    guard found == expected else {
        throw Difference(
            description: "\(text) finds \(found) instead of \(expected), "
                + "\(parsed._plan.plan) instead of \(results._plan.plan)")
    }
    let again = try all.filter(try parsed.predicate)
    guard again._plan.plan == parsed._plan.plan else {
        throw Difference(description: "\(text) is printed as \(try parsed.predicate)")
    }
}

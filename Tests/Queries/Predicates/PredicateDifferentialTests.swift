import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Random predicate strings in all views, against plain Swift that shares nothing with the library.
@Suite struct PredicateDifferentialTests {
    // Covers 3.65, 3.66, 3.67, 3.70, 3.74
    @Test func randomPredicatesAgreeWithPlainSwift() async throws {
        let seed = SeededRandom.seed()
        let worldCount = Effort.count(gate: 10, soak: 200)
        for number in 0..<UInt64(worldCount) {
            do {
                try await run(seed &+ number, conditionCount: Effort.isSoak ? 100 : 30)
            } catch {
                Issue.record("REGNUM_SEED=\(seed &+ number): \(error)")
                return
            }
        }
    }

    private func run(_ seed: UInt64, conditionCount: Int) async throws {
        var random = SeededRandom(seed)
        let world = PlainWorld(nodeCount: [5, 12, 24][Int(seed % 3)], &random)
        let realm = try await Realm.temporary([WorldNode.self, WorldPart.self])
        try await realm.write { try world.store($0) }
        var source = ConditionSource(random: random, nodes: world.nodes)
        var cases: [PredicateCase] = []
        while cases.count < conditionCount {
            let condition = source.condition()
            var renderer = PredicateRenderer(random: SeededRandom(source.random.next()))
            guard let text = renderer.render(condition), renderer.spelling.arguments.count <= 6
            else { continue }
            cases.append(
                PredicateCase(
                    text: text, arguments: renderer.spelling.arguments,
                    style: renderer.spelling.style, condition: condition,
                    expected: world.nodes.filter { world.holds(condition, $0) }))
        }
        let snapshot = realm.snapshot()
        for one in cases {
            let find = { (id: Int) -> Any? in snapshot.object(WorldNode.self, forPrimaryKey: id) }
            try one.check("frozen", find, snapshot.objects(WorldNode.self)) { $0.map(\.id) }
            try one.check("live", find, realm.objects(WorldNode.self)) { $0.current.map(\.id) }
        }
        try await realm.write { [cases] tx in
            for one in cases {
                let find = { (id: Int) -> Any? in tx.object(WorldNode.self, forPrimaryKey: id) }
                try one.check("confined", find, tx.objects(WorldNode.self)) { $0.map(\.id) }
            }
        }
    }
}

/// A predicate string and the ids of the nodes that it should find.
private struct PredicateCase: Sendable {
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    let text: String
    let arguments: [PlainArgument]
    let style: PredicateSpelling.Style
    let condition: PlainCondition
    let expected: [Int]

    func check<Results: Queryable>(
        _ view: String, _ find: (Int) -> Any?, _ all: Results, _ ids: (Results) -> [Int]
    ) throws where Results.Model == WorldNode {
        let found: [Int]
        do {
            found = ids(try filter(all, arguments.map { $0.value(find) }))
        } catch {
            throw Difference(description: "\(view): \(text) throws \(error) for \(condition)")
        }
        if found == expected { return }
        throw Difference(
            description: "\(view): \(text) finds \(found) instead of \(expected) for \(condition), "
                + "arguments: \(arguments)")
    }

    private func filter<Results: Queryable>(
        _ all: Results, _ v: [Any?]
    ) throws -> Results where Results.Model == WorldNode {
        if style == .name {
            let named = v.enumerated().map { ("a\($0.offset)", $0.element) }
            return try all.filter(text, named: Dictionary(uniqueKeysWithValues: named))
        }
        return try all.filter(text, list: v)
    }
}

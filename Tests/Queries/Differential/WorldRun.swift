import FoundationEssentials
import Regnum
import RegnumTestSupport

/// One random realm, and plans that are evaluated in all of its views.
struct WorldRun {
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    private struct Undone: Error {}

    let world: PlainWorld
    let realm: Realm
    private var random: SeededRandom

    init(seed: UInt64, nodeCount: Int) async throws {
        var random = SeededRandom(seed)
        let world = PlainWorld(nodeCount: nodeCount, &random)
        self.world = world
        self.random = random
        realm = try await Realm.temporary([WorldNode.self, WorldPart.self])
        try await realm.write { try world.store($0) }
    }

    /// Evaluates plans in the frozen, the live and the confined view, and in one with uncommitted
    /// changes. Throws the first difference.
    mutating func run(_ planCount: Int) async throws {
        var source = ConditionSource(random: random, nodes: world.nodes)
        var plans: [PlainPlan] = []
        for _ in 0..<planCount {
            plans.append(
                PlainPlan(&source, ofList: Int.random(in: 0..<4, using: &source.random) == 0))
        }
        random = source.random
        let (world, realm, seed) = (world, realm, random.next())
        let snapshot = realm.snapshot()
        for plan in plans {
            let expected = plan.result(world)
            for isIndexed in [false, true] {
                try checkFrozen(plan, expected, snapshot, isIndexed, &random)
            }
        }
        try await realm.read { [plans] tx in
            var random = SeededRandom(seed)
            for plan in plans {
                try WorldRun.checkConfined(plan, world, tx, &random)
            }
        }
        do {
            try await realm.write { [plans] tx in
                var random = SeededRandom(seed)
                var changed = world
                let results = plans.map { $0.confined(tx, isIndexed: false) }
                for (plan, results) in zip(plans, results) {
                    // Results are evaluated before and after changes.
                    _ = results?.count
                    try WorldRun.change(&changed, tx, &random)
                    if let results, plan.source.map({ changed.object($0.node) != nil }) ?? true {
                        try WorldRun.compare(
                            results.map(\.id), plan.result(changed), "results over changes", plan)
                        try WorldRun.checkPages(results, plan, &changed, tx, &random)
                    }
                    try WorldRun.checkConfined(plan, changed, tx, &random)
                }
                throw Undone()
            }
        } catch is Undone {}
    }

    // MARK: Views

    private func checkFrozen(
        _ plan: PlainPlan, _ expected: [Int], _ snapshot: Snapshot, _ isIndexed: Bool,
        _ random: inout SeededRandom
    ) throws {
        let builder = ConditionBuilder(
            isIndexed: isIndexed, transaction: nil, snapshot: snapshot)
        let all: FrozenResults<WorldNode>
        switch plan.source {
        case nil: all = snapshot.objects(WorldNode.self)
        case let source?:
            guard let node = snapshot.object(WorldNode.self, forPrimaryKey: source.node) else {
                throw Difference(description: "Node \(source.node) is missing.")
            }
            switch source.hop {
            case .nodes: all = node.nodes
            case .fans: all = node.fans
            default: all = node.holders
            }
        }
        func asked() -> FrozenResults<WorldNode> { plan.ask(all, builder) }
        let view = isIndexed ? "frozen, indexed" : "frozen"
        try Self.compare(asked().map(\.id), expected, view, plan)
        try Self.check(asked(), expected, world, view, plan, &random, builder) { $0.id }
        try Self.checkSections(asked(), expected, world, view, plan, &random)
        try Self.checkPages(expected, view, plan, &random) { cursor, limit in
            let page = try asked().page(after: cursor, limit: limit)
            return (page.map(\.id), page.cursor, page.hasMore)
        }
        guard plan.source == nil else { return }
        let live = plan.ask(realm.objects(WorldNode.self), builder)
        try Self.compare(live.current.map(\.id), expected, "live", plan)
        guard live.count == expected.count, live.first?.id == expected.first,
            live.last?.id == expected.last
        else { throw Difference(description: "live differs: \(plan)") }
        try Self.checkSections(live, expected, world, "live", plan, &random)
        try Self.compare(
            try live.page(limit: 3).map(\.id), Array(expected.prefix(3)), "live page", plan)
    }

    private static func checkConfined(
        _ plan: PlainPlan, _ world: PlainWorld, _ tx: Transaction, _ random: inout SeededRandom
    ) throws {
        let expected = plan.result(world)
        for isIndexed in [false, true] {
            guard let results = plan.confined(tx, isIndexed: isIndexed) else { continue }
            let builder = ConditionBuilder(isIndexed: isIndexed, transaction: tx, snapshot: nil)
            let view = isIndexed ? "confined, indexed" : "confined"
            try check(results, expected, world, view, plan, &random, builder) { $0.id }
            try compare(results.map(\.id), expected, view, plan)
            try checkSections(results, expected, world, view, plan, &random)
            try checkPages(expected, view, plan, &random) { cursor, limit in
                let page = try results.page(after: cursor, limit: limit)
                return (page.map(\.id), page.cursor, page.hasMore)
            }
            if let id = expected.randomElement(using: &random),
                let node = tx.object(WorldNode.self, forPrimaryKey: id),
                results.index(of: node) != expected.firstIndex(of: id)
            {
                throw Difference(description: "\(view): index(of: \(id)) differs: \(plan)")
            }
        }
    }

    private static func compare(
        _ found: [Int], _ expected: [Int], _ view: String, _ plan: PlainPlan
    ) throws {
        if found == expected { return }
        throw Difference(
            description: "\(view): \(found) instead of \(expected) for \(plan)")
    }

    /// Checks the sections of results by the values of a random property.
    private static func checkSections(
        _ results: some SectionedView, _ expected: [Int], _ world: PlainWorld, _ view: String,
        _ plan: PlainPlan, _ random: inout SeededRandom
    ) throws {
        let (key, isAscending) = (random.oneOf(PlainSectionKey.allCases), random.oneIn(2))
        guard let sections = key.sections(expected, world, isAscending: isAscending) else { return }
        let found = key.sections(results, isAscending: isAscending)
        if found == sections { return }
        throw Difference(
            description: "\(view): the sections by \(key) are \(found) instead of \(sections) "
                + "for \(plan)")
    }

    /// Checks parts of fresh results.
    private static func check<Results: Queryable & RandomAccessCollection>(
        _ results: Results, _ expected: [Int], _ world: PlainWorld, _ view: String,
        _ plan: PlainPlan, _ random: inout SeededRandom, _ builder: ConditionBuilder,
        _ id: (Results.Element) -> Int
    ) throws where Results.Model == WorldNode, Results.Index == Int {
        func fail(_ what: String) -> Difference {
            Difference(description: "\(view): \(what) differs from that of \(expected) for \(plan)")
        }
        func fresh() -> Results { results._with(results._plan) }
        let length = Int.random(in: 0...4, using: &random)
        if fresh().count != expected.count { throw fail("count") }
        if fresh().first.map(id) != expected.first { throw fail("first") }
        if fresh().last.map(id) != expected.last { throw fail("last") }
        if fresh().prefix(length).map(id) != Array(expected.prefix(length)) { throw fail("prefix") }
        if expected.count > 2 {
            let start = Int.random(in: 0..<expected.count - 1, using: &random)
            let range = start..<Int.random(in: start..<expected.count, using: &random)
            if fresh()[range].map(id) != Array(expected[range]) { throw fail("slice \(range)") }
        }
        var source = ConditionSource(random: random, nodes: world.nodes)
        let condition = source.condition(depth: 1)
        random = source.random
        let position = fresh().index(matching: { builder.build(condition, .object($0)) })
        if position != expected.firstIndex(where: { world.holds(condition, $0) }) {
            throw fail("index(matching: \(condition)) is \(position ?? -1) and")
        }
        if !PlainFolds(world: world, nodes: expected).agree(with: results, &random) {
            throw fail("an aggregate")
        }
    }
}

extension PlainPlan {
    /// Returns the results of the plan in a transaction; `nil` if the object with the list was
    /// deleted.
    func confined(_ tx: Transaction, isIndexed: Bool) -> Results<WorldNode>? {
        let builder = ConditionBuilder(isIndexed: isIndexed, transaction: tx, snapshot: nil)
        guard let source else { return ask(tx.objects(WorldNode.self), builder) }
        guard let node = tx.object(WorldNode.self, forPrimaryKey: source.node) else { return nil }
        // A list has no results of all its elements, so use a condition that always holds.
        switch source.hop {
        case .nodes: return ask(node.nodes.where { $0.id >= 0 }, builder)
        case .fans: return ask(node.fans.where { $0.id >= 0 }, builder)
        default: return ask(node.holders.where { $0.id >= 0 }, builder)
        }
    }
}

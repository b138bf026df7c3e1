import Foundation
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Results that follow commits, for plans with hops, sources, steps and limits: their changes match
/// the definition, evaluated on plain arrays.
@Suite struct LinkedAdvanceTests {
    private struct Followed {
        var plan: QueryPlan
        var world: LinkedWorld
        var result: ResultTree
    }

    @Test func changesFollowTheDefinition() throws {
        var generator = SeededRandom("LinkedAdvanceTests.changesFollowTheDefinition")
        for _ in 0..<Effort.count(gate: 12, soak: 60) {
            try follow(&generator, large: false)
        }
    }

    @Test func changesOfManyRowsFollowTheDefinition() throws {
        var generator = SeededRandom("LinkedAdvanceTests.changesOfManyRows")
        for _ in 0..<Effort.count(gate: 3, soak: 10) {
            try follow(&generator, large: true)
        }
    }

    /// Many worlds, so that rare cases occur: rows that cross a limit between others that move, and
    /// rows that are reached while others change places around them.
    @Test func changesOfAllShapesFollowTheDefinition() throws {
        var generator = SeededRandom("LinkedAdvanceTests.changesOfAllShapes")
        try followShapes(&generator, worldCount: Effort.count(gate: 300, soak: 600))
    }

    func followShapes(_ generator: inout SeededRandom, worldCount: Int) throws {
        for _ in 0..<worldCount {
            var world = LinkedWorld(items: &generator)
            try world.change(&generator) { world, transaction, generator in
                try world.addSchema(transaction)
                for _ in 0..<generator.below(40) { try world.insert(0, transaction, &generator) }
                for _ in 0..<1 + generator.below(8) {
                    try world.insert(1, transaction, &generator)
                }
                try world.edit(120, transaction, &generator)
            }
            let plans = (0..<24).map { _ in generator.shape(world) }
            try follow(&generator, world, plans)
        }
    }

    private func follow(_ generator: inout SeededRandom, large: Bool) throws {
        var world = LinkedWorld(&generator)
        try world.fill(&generator, large: large)
        var plans: [QueryPlan] = []
        for number in 0..<(large ? 8 : 20) {
            var plan = generator.plan(world, depth: 1)
            // Half of them have the order of their source.
            if number % 2 == 0 { (plan.sort, plan.steps, plan.limit) = ([], [], nil) }
            if number % 6 == 0 { plan.predicate = .constant(true) }
            plans.append(plan)
        }
        try follow(&generator, world, plans)
    }

    private func follow(
        _ generator: inout SeededRandom, _ world: LinkedWorld, _ plans: [QueryPlan]
    ) throws {
        var world = world
        var followed: [Followed] = []
        for plan in plans {
            let result =
                generator.oneIn(4)
                ? try plan.evaluate(world.root)
                : try plan.evaluate(world.root, counters: StreamCounters())
            followed.append(Followed(plan: plan, world: world, result: result))
        }
        for _ in 0..<8 {
            let count = 1 + generator.below(generator.oneIn(3) ? 40 : 6)
            try world.change(&generator) { world, transaction, generator in
                try world.edit(count, transaction, &generator)
            }
            for index in followed.indices where !generator.oneIn(3) {
                let hasSummaries = !generator.oneIn(3)
                if try !check(&followed[index], world, hasSummaries, &generator) { return }
            }
        }
    }

    /// Returns `false` after a difference.
    private func check(
        _ followed: inout Followed, _ world: LinkedWorld, _ hasSummaries: Bool,
        _ generator: inout SeededRandom
    ) throws -> Bool {
        let plan = followed.plan
        let old = followed.world
        let step = VersionStep(
            from: old.root, to: world.root,
            summaries: hasSummaries ? Array(world.summaries[old.summaries.count...]) : nil)
        let (result, change) = try plan.advance(followed.result, step)
        let before = Array(followed.result)
        let after = Array(result)
        let places = LinkedNaive(world: world).evaluate(plan)
        let oldResult = followed.result
        followed.result = result
        followed.world = world
        guard after.map(\.rawValue) == places.map(\.key) else {
            Issue.record("\(plan): \(after), expected \(places)")
            return false
        }
        expectEqual(result.count, after.count)
        expectTrue(after.isEmpty || result[after.count / 2] == after[after.count / 2])
        expectEqual(Array(oldResult), before, "an older result is unchanged")
        expectEqual(change.deletedKeys, change.deletions.map { before[$0] })
        expectEqual(change.insertedKeys, change.insertions.map { after[$0] })
        expectTrue(change.modified.isEmpty && change.modifications.isEmpty)
        guard AdvanceTests.apply(change, before, after) == after else {
            Issue.record("\(plan): \(change) from \(before) to \(after)")
            return false
        }
        try expectEqual(plan.change(from: oldResult, to: result, step), change)
        try checkMarks(plan, change, oldResult, result, step, &generator)
        let found = AdvanceTests.Expected(change)
        let isList = if case .list = plan.source { true } else { false }
        if isList, plan.sort.isEmpty, plan.steps.isEmpty, plan.limit == nil {
            guard hasSummaries, let expected = spliced(plan, old, world) else { return true }
            if found != expected { Issue.record("\(plan): \(found), expected \(expected)") }
            return found == expected
        }
        if Set(before).count < before.count || Set(after).count < after.count { return true }
        var modified: Set<ObjectKey> = []
        if let index = LinkedNaive(world: world).index(plan.tableName), hasSummaries {
            for key in world.ownModified(index, since: old) {
                modified.insert(ObjectKey(rawValue: key))
            }
        } else {
            modified = Set(step.rows(plan.tableName).modified.map(\.key))
        }
        let touched = touched(plan, before, after, modified, old, world)
        var expected = AdvanceTests.Expected(before, after, touched)
        // Modifications of rows that stay are reported by marks.
        expected.modifications = []
        expected.newModifications = []
        if found != expected {
            Issue.record("\(plan): \(found), expected \(expected), \(before) -> \(after)")
        }
        return found == expected
    }

    /// Marked rows that stay are reported wherever they are.
    private func checkMarks(
        _ plan: QueryPlan, _ change: ResultChange, _ old: ResultTree, _ new: ResultTree,
        _ step: VersionStep, _ generator: inout SeededRandom
    ) throws {
        guard let table = step.new.schema.table(named: plan.tableName) else { return }
        var marks = RowMarks()
        for key in step.new.keys(table.key)
        where step.old.contains(table.key, key) && generator.oneIn(4) {
            marks.rows[key] = RowMarks.Mark()
            marks.rows[key]?.paths = [generator.below(3)]
        }
        var marked = change
        try plan.mark(&marked, marks, in: new, step)
        let staying = zip(
            old.indices.filter { !change.deletions.contains($0) },
            new.indices.filter { !change.insertions.contains($0) })
        var expected = change
        let keys = Array(old)
        for (position, place) in staying {
            guard let mark = marks[keys[position]] else { continue }
            expected.modifications.append(position)
            expected.newModifications.append(place)
            expected.modified.append(
                ModifiedResult(
                    key: keys[position], oldIndex: position, newIndex: place, mark: mark))
        }
        expectEqual(marked, expected, "\(plan)")
    }

    /// Returns the change of the matching elements of a list: those whose number stayed stay.
    private func spliced(
        _ plan: QueryPlan, _ old: LinkedWorld, _ new: LinkedWorld
    ) -> AdvanceTests.Expected? {
        guard case .list(let owner, let row, let name) = plan.source,
            let index = LinkedNaive(world: new).index(owner.wrappedValue),
            old.classes[index].rows[row.rawValue] != nil,
            new.classes[index].rows[row.rawValue] != nil
        else { return nil }
        func matching(_ world: LinkedWorld) -> [(number: Int, key: UInt64)] {
            let naive = LinkedNaive(world: world)
            let numbers = world.classes[index].rows[row.rawValue]?.numbers[name.wrappedValue] ?? []
            return zip(numbers, naive.source(plan))
                .filter { naive.matches($0.1, plan.predicate) }.map { ($0.0, $0.1.key) }
        }
        let (before, after) = (matching(old), matching(new))
        var expected = AdvanceTests.Expected([], [], [])
        for (position, row) in before.enumerated() {
            if !after.contains(where: { $0.number == row.number }) {
                expected.deletions.append(position)
            }
        }
        for (position, row) in after.enumerated()
        where !before.contains(where: { $0.number == row.number }) {
            expected.insertions.append(position)
        }
        return expected
    }

    /// Returns the rows that may move: those that were modified, inserted or removed, and those
    /// with other sort values; all rows if the order of the others changed.
    private func touched(
        _ plan: QueryPlan, _ before: [ObjectKey], _ after: [ObjectKey], _ modified: Set<ObjectKey>,
        _ old: LinkedWorld, _ new: LinkedWorld
    ) -> Set<ObjectKey> {
        var touched = modified.union(Set(before).symmetricDifference(after))
        var terms = plan.sort
        for step in plan.steps { if case .sort(let more) = step { terms += more } }
        if let index = LinkedNaive(world: new).index(plan.tableName) {
            for key in before where !touched.contains(key) {
                let place = LinkedNaive.Place(index: index, key: key.rawValue)
                let a = terms.map { LinkedNaive(world: old).value(place, $0.column) }
                let b = terms.map { LinkedNaive(world: new).value(place, $0.column) }
                if !LinkedNaive.areAlike(a, b) { touched.insert(key) }
            }
        }
        if before.filter({ !touched.contains($0) }) != after.filter({ !touched.contains($0) }) {
            return Set(before + after)
        }
        return touched
    }
}

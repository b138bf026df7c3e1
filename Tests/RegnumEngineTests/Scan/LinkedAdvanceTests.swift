import Foundation
import RegnumEngine
import RegnumStore
import Testing

/// Results that follow the commits, of plans with hops, sources, steps and limits: their changes are
/// those of the definition, on plain arrays.
@Suite struct LinkedAdvanceTests {
    private struct Followed {
        var plan: QueryPlan
        var world: LinkedWorld
        var result: ResultTree
    }

    /// Worlds of one run; `REGNUM_WORLDS` sets another number.
    private static var worldCount: Int {
        ProcessInfo.processInfo.environment["REGNUM_WORLDS"].flatMap { Int($0) } ?? 12
    }

    @Test func changesFollowTheDefinition() throws {
        var generator = SeededGenerator("LinkedAdvanceTests.changesFollowTheDefinition")
        for _ in 0..<LinkedAdvanceTests.worldCount {
            var world = LinkedWorld(&generator)
            try world.fill(&generator, large: false)
            var followed: [Followed] = []
            for number in 0..<20 {
                var plan = generator.plan(world, depth: 1)
                // half of them with an order of their source
                if number % 2 == 0 { (plan.sort, plan.steps, plan.limit) = ([], [], nil) }
                followed.append(
                    Followed(plan: plan, world: world, result: try plan.evaluate(world.root)))
            }
            for _ in 0..<8 {
                let count = 1 + generator.below(12)
                try world.change(&generator) { world, transaction, generator in
                    try world.edit(count, transaction, &generator)
                }
                for index in followed.indices where !generator.oneIn(3) {
                    if try !check(&followed[index], world, isTold: !generator.oneIn(3)) { return }
                }
            }
        }
    }

    /// False after a difference.
    private func check(
        _ followed: inout Followed, _ world: LinkedWorld, isTold: Bool
    ) throws -> Bool {
        let plan = followed.plan
        let old = followed.world
        let summaries = world.summaries[old.summaries.count...]
        let delta = MergedDelta(summaries, tableName: plan.tableName)
        let (result, change) = try plan.advance(
            followed.result, from: old.root, to: world.root, delta: isTold ? delta : nil,
            listChange: isTold ? listChange(plan, world, summaries) : nil)
        let before = Array(followed.result)
        let after = Array(result)
        let naive = LinkedNaive(world: world)
        let places = naive.evaluate(plan)
        followed.result = result
        followed.world = world
        guard after.map(\.rawValue) == places.map(\.key) else {
            Issue.record("\(plan): \(after), expected \(places)")
            return false
        }
        #expect(change.deletedKeys == change.deletions.map { before[$0] })
        #expect(change.insertedKeys == change.insertions.map { after[$0] })
        #expect(change.modified.map(\.oldIndex) == change.modifications)
        #expect(change.modified.map(\.newIndex) == change.newModifications)
        #expect(change.modified.map(\.key) == change.modifications.map { before[$0] })
        #expect(change.modified.map(\.key) == change.newModifications.map { after[$0] })
        guard AdvanceTests.apply(change, before, after) == after else {
            Issue.record("\(plan): \(change) from \(before) to \(after)")
            return false
        }
        let columns = Dictionary(
            uniqueKeysWithValues: delta.modified.map { ($0.key, $0.columns.columns) })
        for row in change.modified where isTold { #expect(row.columns == columns[row.key]) }
        let found = AdvanceTests.Expected(change)
        let isList = if case .list = plan.source { true } else { false }
        if isList, plan.sort.isEmpty, plan.steps.isEmpty, plan.limit == nil {
            guard isTold, let expected = spliced(plan, old, world, delta) else { return true }
            if found != expected { Issue.record("\(plan): \(found), expected \(expected)") }
            return found == expected
        }
        if Set(before).count < before.count || Set(after).count < after.count { return true }
        var modified = Set(delta.modified.map(\.key))
        if !isTold {
            let delta = MergedDelta(from: old.root, to: world.root, tableName: plan.tableName)
            modified = Set(delta.modified.map(\.key))
        }
        let touched = touched(plan, before, after, modified, old, world)
        var expected = AdvanceTests.Expected(before, after, touched)
        // what stays and was not modified is no change
        expected.modifications.removeAll { !modified.contains(before[$0]) }
        expected.newModifications.removeAll { !modified.contains(after[$0]) }
        if found != expected {
            Issue.record("\(plan): \(found), expected \(expected), \(before) -> \(after)")
        }
        return found == expected
    }

    /// How the list changed that is the source.
    private func listChange(
        _ plan: QueryPlan, _ world: LinkedWorld, _ summaries: ArraySlice<CommitSummary>
    ) -> ListChange? {
        guard case .list(let owner, let row, let name) = plan.source,
            let index = LinkedNaive(world: world).index(owner),
            let number = world.classes[index].lists.firstIndex(where: { $0.name == name })
        else { return nil }
        let changes =
            MergedDelta(summaries, tableName: owner)
            .listChanges[ListKey(rawValue: UInt16(number))] ?? []
        return changes.first { $0.row == row } ?? ListChange(row: row, splices: [])
    }

    /// The change of the matching elements of a list: those with a number that stayed stay.
    private func spliced(
        _ plan: QueryPlan, _ old: LinkedWorld, _ new: LinkedWorld, _ delta: MergedDelta
    ) -> AdvanceTests.Expected? {
        guard case .list(let owner, let row, let name) = plan.source,
            let index = LinkedNaive(world: new).index(owner),
            old.classes[index].rows[row.rawValue] != nil,
            new.classes[index].rows[row.rawValue] != nil
        else { return nil }
        func matching(_ world: LinkedWorld) -> [(number: Int, key: UInt64)] {
            let naive = LinkedNaive(world: world)
            let numbers = world.classes[index].rows[row.rawValue]?.numbers[name] ?? []
            return zip(numbers, naive.source(plan))
                .filter { naive.matches($0.1, plan.predicate) }.map { ($0.0, $0.1.key) }
        }
        let (before, after) = (matching(old), matching(new))
        let modified = Set(delta.modified.map(\.key.rawValue))
        var expected = AdvanceTests.Expected([], [], [])
        for (position, row) in before.enumerated() {
            guard let place = after.firstIndex(where: { $0.number == row.number }) else {
                expected.deletions.append(position)
                continue
            }
            guard modified.contains(row.key) else { continue }
            expected.modifications.append(position)
            expected.newModifications.append(place)
        }
        for (position, row) in after.enumerated()
        where !before.contains(where: { $0.number == row.number }) {
            expected.insertions.append(position)
        }
        return expected
    }

    /// The rows that may move: those that were modified, came or went, and those with other sort
    /// values; all where the order of the others changed.
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

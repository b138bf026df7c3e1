import RegnumTestSupport
import Testing

@testable import RegnumEngine

/// What a salvage makes of the changes that the log has of a list.
@Suite struct LaterChangesTests {
    private typealias Elements = StoredLists.Elements

    private static func change(
        _ version: UInt64, at position: Int, removing count: Int = 0, _ rows: [UInt64] = []
    ) -> LoggedChanges.ListChange {
        let inserted = rows.map { ObjectKey(rawValue: $0) }
        return LoggedChanges.ListChange(
            version: version,
            splices: [ListSplice(position: position, removedCount: count, inserted: inserted)])
    }

    private static func applied(
        _ changes: [LoggedChanges.ListChange], to rows: [UInt64],
        _ problem: SalvageFindings.Cut.Reason?, deleted: [UInt64: UInt64] = [:],
        isOwned: Bool = false
    ) -> Elements {
        var list = Elements(rows: rows, problem: problem)
        list.apply(changes[...], deleted: deleted, isOwned: isOwned)
        return list
    }

    @Test func removedElementsOfADamagedListMakeItOutdated() {
        for problem in [SalvageFindings.Cut.Reason.missing, .unordered] {
            let list = Self.applied(
                [
                    Self.change(2, at: 0, removing: 1, [9]), Self.change(3, at: 0, [8]),
                ], to: [1, 2, 3, 4], problem, deleted: [2: 3])
            expectEqual(list.rows, [1, 3, 4])
            expectEqual(list.problem, .outdated)
        }
    }

    @Test func addedElementsOfADamagedListAreKept() {
        for problem in [SalvageFindings.Cut.Reason.missing, .unordered] {
            let list = Self.applied(
                [Self.change(2, at: 1, [9]), Self.change(4, at: 1, [9])], to: [1, 2, 3], problem,
                deleted: [2: 3])
            expectEqual(list.rows, [1, 3, 9, 9])
            expectEqual(list.problem, problem)
        }
    }

    @Test func ownedElementsOfADamagedListAreThereOnce() {
        for problem in [SalvageFindings.Cut.Reason.missing, .unordered] {
            // moves the second one, and replaces the third
            let list = Self.applied(
                [
                    Self.change(2, at: 1, removing: 1), Self.change(3, at: 0, [2]),
                    Self.change(4, at: 2, [5]),
                ], to: [1, 2, 3], problem, deleted: [3: 4], isOwned: true)
            expectEqual(list.rows, [1, 2, 5])
            expectEqual(list.problem, problem)
        }
    }

    @Test func listWithoutItsFormerElementsIsKnown() {
        let list = Self.applied(
            [Self.change(4, at: 0, removing: 2, [7, 8]), Self.change(5, at: 1, removing: 1, [9])],
            to: [1, 2, 3], .unordered, deleted: [2: 4])
        expectEqual(list.rows, [7, 9])
        expectNil(list.problem)
    }

    @Test func positionsBeyondTheEndAreNotApplied() {
        let list = Self.applied([Self.change(2, at: 2, removing: 2, [9])], to: [1, 2, 3], nil)
        expectEqual(list.rows, [1, 2, 3])
        expectEqual(list.problem, .outdated)
    }

    /// A model that removes deleted rows from the whole list at each version.
    @Test func changesAndDeletionsAreAppliedInTheirOrder() {
        for seed in 0..<200 {
            var numbers = SeededRandom(UInt64(seed))
            let stored = (0..<UInt64(numbers.below(30))).map { $0 }
            var rows = stored
            var next = UInt64(rows.count)
            var deleted: [UInt64: UInt64] = [:]
            var changes: [LoggedChanges.ListChange] = []
            for version in 2..<UInt64(2 + numbers.below(40)) {
                while numbers.oneIn(3), !rows.isEmpty {
                    let row = numbers.oneOf(rows)
                    deleted[row] = version
                    rows.removeAll { $0 == row }
                }
                if numbers.oneIn(4) { continue }
                let position = numbers.below(rows.count + 1)
                let removed = numbers.below(min(rows.count - position, 3) + 1)
                // a row can be in a list of objects several times
                let again = rows.isEmpty || numbers.oneIn(2) ? [] : [numbers.oneOf(rows)]
                let inserted = again + [next]
                next += 1
                changes.append(
                    Self.change(version, at: position, removing: removed, inserted))
                rows.replaceSubrange(position..<position + removed, with: inserted)
            }
            let list = Self.applied(changes, to: stored, nil, deleted: deleted)
            expectEqual(list.rows, rows, "seed \(seed)")
            expectNil(list.problem)
        }
    }

    /// Looking for deleted elements at each change would take 10 billion steps.
    @Test(.timeLimit(.minutes(1)))
    func longListsWithManyChangesTakeLinearTime() {
        let count = 100_000
        let changes = (0..<count).map {
            Self.change(UInt64($0 + 2), at: count + $0, [UInt64(count + $0)])
        }
        let list = Self.applied(
            changes, to: (0..<UInt64(count)).map { $0 }, nil, deleted: [UInt64(2 * count): 2])
        expectEqual(list.rows.count, 2 * count)
        expectNil(list.problem)
    }
}

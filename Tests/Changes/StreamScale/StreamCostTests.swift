import Regnum
import RegnumTestSupport
import Testing

/// Counters show that the cost of a commit for streams depends only on what it changed.
@Suite(.disabled(if: Effort.isReduced))
struct StreamCostTests {
    /// Returns the cost of ten commits, each of them pulled, for a stream on `rowCount` rows.
    static func cost(of kind: StreamKind, rowCount: Int) async throws -> StreamCost {
        let realm = try await Realm.temporary(Scale.types)
        try await Scale.fill(realm, seatCount: rowCount)
        let pull = kind.makePull(realm)
        try await pull.next()
        let before = StreamCost.of(realm)
        for number in 1...10 {
            try await Scale.commit(number, realm)
            try await pull.next()
        }
        return StreamCost.of(realm) - before
    }

    /// Checks that the costs are the same, whatever the number of rows.
    static func checkGrowth(of kind: StreamKind, _ rowCounts: [Int]) async throws {
        var costs: [StreamCost] = []
        for rowCount in rowCounts {
            costs.append(try await cost(of: kind, rowCount: rowCount))
        }
        print("\(kind) on \(rowCounts) rows: \(costs)")
        for cost in costs {
            expectTrue(cost.evaluatedRows <= costs[0].evaluatedRows, "\(kind): \(costs)")
            expectTrue(cost.reachedRows <= costs[0].reachedRows, "\(kind): \(costs)")
            expectTrue(cost.wakes == costs[0].wakes && cost.steps == costs[0].steps)
            // Each commit changes ten rows, and with a guest its five seats.
            expectTrue(cost.evaluatedRows <= 10 * 40, "\(kind): \(costs)")
            expectEqual(cost.steps, 10)
        }
    }

    // Covers O36
    @Test(arguments: StreamKind.allCases)
    func rowsEvaluatedDoNotGrowWithTheRows(_ kind: StreamKind) async throws {
        try await Self.checkGrowth(
            of: kind, Effort.isSoak ? [1_000, 20_000, 200_000] : [200, 2_000])
    }

    /// Makes streams that no commit of `Scale.commit` can match.
    static func otherStreams(_ realm: Realm, count: Int) async throws -> [Pull] {
        var others: [Pull] = []
        for number in 0..<count {
            let seats = realm.objects(Scale.Seat.self)
            // Not the first hundred seats, nor their halls and guests.
            let hall = 10 + number
            let pull =
                switch number % 6 {
                case 0: Pull(seats.where { $0.hall == hall }.changes(depth: 0))
                case 1:
                    Pull(
                        seats.where { $0.hall == hall && $0.rank > 5 }.sorted(by: \.rank)
                            .changes(depth: 0))
                case 2: Pull(realm.object(Scale.Seat.self, forPrimaryKey: 100 + number).changes)
                case 3: Pull(realm.object(Scale.Guest.self, forPrimaryKey: 100 + number).changes)
                case 4: Pull(realm.object(Scale.Hall.self, forPrimaryKey: hall).tags.changes)
                default: Pull(realm.objects(Bystander.self).where { $0.number > hall }.changes)
                }
            try await pull.next()
            others.append(pull)
        }
        return others
    }

    final class Bystander: Object {
        @Persisted var number: Int
    }

    /// Returns the cost of ten commits for a stream that is pulled while there are `otherCount`
    /// others.
    static func cost(of kind: StreamKind, beside otherCount: Int) async throws -> StreamCost {
        let realm = try await Realm.temporary(Scale.types + [Bystander.self])
        try await Scale.fill(realm, seatCount: 1_000)
        let others = try await otherStreams(realm, count: otherCount)
        let pull = kind.makePull(realm)
        try await pull.next()
        let before = StreamCost.of(realm)
        for number in 1...10 {
            try await Scale.commit(number, realm)
            try await pull.next()
        }
        let cost = StreamCost.of(realm) - before
        expectEqual(realm.stats().streams, otherCount + 1)
        withExtendedLifetime(others) {}
        return cost
    }

    static func checkOthers(of kind: StreamKind, _ otherCounts: [Int]) async throws {
        var costs: [StreamCost] = []
        for count in otherCounts { costs.append(try await cost(of: kind, beside: count)) }
        print("\(kind) with \(otherCounts) others: \(costs)")
        for cost in costs { expectEqual(cost, costs[0], "\(kind): \(costs)") }
    }

    // Covers O35, O36
    @Test(arguments: [StreamKind.filteredSorted, .indexed, .linked, .list, .object])
    func streamsThatCannotMatchCostNothing(_ kind: StreamKind) async throws {
        try await Self.checkOthers(
            of: kind, Effort.isSoak ? [1, 100, 10_000] : [1, 60])
    }

    // Covers O35, O37
    @Test(arguments: StreamKind.allCases)
    func writersEvaluateNothing(_ kind: StreamKind) async throws {
        let realm = try await Realm.temporary(Scale.types)
        try await Scale.fill(realm, seatCount: 200)
        let pull = kind.makePull(realm)
        try await pull.next()
        let before = StreamCost.of(realm)
        for number in 1...30 { try await Scale.commit(number, realm) }
        let cost = StreamCost.of(realm) - before
        expectTrue(cost.evaluatedRows == 0 && cost.reachedRows == 0 && cost.steps == 0)
        try await pull.next()
        expectEqual((StreamCost.of(realm) - before).steps, 1)
    }

    /// A hundred streams of one query evaluate it once.
    // Covers O37
    @Test func streamsOfOneQueryShareItsSteps() async throws {
        let realm = try await Realm.temporary(Scale.types)
        try await Scale.fill(realm, seatCount: 500)
        let start = StreamCost.of(realm)
        var pulls: [Pull] = []
        for _ in 0..<100 {
            let pull = StreamKind.filteredSorted.makePull(realm)
            try await pull.next()
            pulls.append(pull)
        }
        let begun = StreamCost.of(realm)
        expectTrue((begun - start).evaluatedRows <= 1_000)
        for number in 1...5 {
            try await Scale.commit(number, realm)
            for pull in pulls { try await pull.next() }
        }
        expectEqual((StreamCost.of(realm) - begun).steps, 5)
    }
}

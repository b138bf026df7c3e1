import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Conditions on the rows of lists that lead to the same rows of one class again and again. A
/// condition that follows further lists is then evaluated once for each row of the class, instead
/// of once for each way to it.
@Suite struct RepeatedConditionTests {
    private static let count = 2_000

    private static let toFriends = Hop.list("friends", of: "Person")
    private static let number = ColumnReference(name: "number", type: .int, missing: .int(0))
    private static let isWanted = Predicate.compare(number, .equal, .int(5))

    /// Person i has the number i and the friends i + 1, i + 2 and so on, in a circle. All are
    /// members of the only group.
    private func makeRoot(friendCount: Int, isIndexed: Bool = false) throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        let number = ColumnDefinition(name: "number", type: .int, isIndexed: isIndexed)
        let person = try transaction.addTable(name: "Person", columns: [number])
        let friends = try transaction.addList(person, name: "friends", target: person)
        let count = RepeatedConditionTests.count
        for index in 0..<count {
            _ = try transaction.insert(person, [.int(Int64(index))])
        }
        for index in 0..<count {
            let keys = (0..<friendCount).map {
                ObjectKey(rawValue: UInt64((index + 1 + $0) % count))
            }
            try transaction.insertIntoList(
                person, ObjectKey(rawValue: UInt64(index)), friends, at: 0, keys)
        }
        let group = try transaction.addTable(name: "Group", columns: [])
        let members = try transaction.addList(group, name: "members", target: person)
        let only = try transaction.insert(group, [])
        try transaction.insertIntoList(
            group, only, members, at: 0, (0..<count).map { ObjectKey(rawValue: UInt64($0)) })
        return try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: .max).root
    }

    /// Checks a condition.
    ///
    /// - Parameters:
    ///   - sets: The number of times that all rows are examined besides the scan.
    ///   - isMatch: Is called with the number of the wanted person minus that of the examined one.
    private func check(
        _ predicate: Predicate, limit: Int? = nil, _ root: DatabaseRoot, sets: Int,
        isMatch: (Int) -> Bool
    ) throws {
        let count = RepeatedConditionTests.count
        let plan = QueryPlan(tableName: "Person", predicate: predicate, limit: limit)
        var statistics = QueryStatistics()
        let found = try plan.evaluate(root, statistics: &statistics).map { Int($0.rawValue) }
        let expected = (0..<count).filter { isMatch(($0 <= 5 ? 5 : count + 5) - $0) }
        expectTrue(found == Array(expected.prefix(limit ?? count)), "\(predicate)")
        expectEqual(statistics.rowsEvaluated, (1 + sets) * count, "\(predicate)")
    }

    private func friends(_ quantifier: Quantifier, _ term: Predicate) -> Predicate {
        .related([RepeatedConditionTests.toFriends], quantifier, term)
    }

    @Test func conditionsOnFriendsOfManyAreEvaluatedOnceForEachRow() throws {
        let root = try makeRoot(friendCount: 8)
        let isWanted = RepeatedConditionTests.isWanted
        let knows = friends(.any, isWanted)
        try check(friends(.none, knows), root, sets: 2) { !(2...16).contains($0) }
        try check(friends(.all, knows), root, sets: 2) { $0 == 9 }
        try check(friends(.all, .not(knows)), root, sets: 2) { !(2...16).contains($0) }
        let count = Predicate.count([RepeatedConditionTests.toFriends], knows, .less, 3)
        // from the one that is n before the wanted one, n - 1 or 17 - n friends know it
        try check(count, root, sets: 2) { !(2...16).contains($0) || min($0 - 1, 17 - $0) < 3 }
        let further = friends(.none, friends(.any, knows))
        try check(further, root, sets: 3) { !(3...24).contains($0) }
    }

    @Test func pathsThroughListsOfManyAreFollowedOnceForEachRow() throws {
        let root = try makeRoot(friendCount: 8)
        func path(_ length: Int, _ quantifier: Quantifier) -> Predicate {
            let hops = Array(repeating: RepeatedConditionTests.toFriends, count: length)
            return .related(hops, quantifier, RepeatedConditionTests.isWanted)
        }
        try check(path(2, .none), root, sets: 2) { !(2...16).contains($0) }
        try check(path(3, .none), root, sets: 3) { !(3...24).contains($0) }
        try check(path(4, .none), root, sets: 4) { !(4...32).contains($0) }
        let toFriend = RepeatedConditionTests.toFriends
        let knows = friends(.any, RepeatedConditionTests.isWanted)
        try check(.related([toFriend, toFriend], .none, knows), root, sets: 3) {
            !(3...24).contains($0)
        }
    }

    /// The attempts to look them up backward, from 100, 107 and 114 persons, examine all rows five
    /// times: twice for the condition on friends of friends.
    @Test func conditionsAreEvaluatedOnceForEachRowToBeLookedUpBackward() throws {
        let root = try makeRoot(friendCount: 8)
        let isLow = Predicate.compare(RepeatedConditionTests.number, .less, .int(100))
        let knows = friends(.any, friends(.any, friends(.any, isLow)))
        try check(knows, root, sets: 3 + 5) { $0 <= 29 || $0 >= 1_909 }
    }

    @Test func conditionsOnMembersOfAListAreEvaluatedOnceForEachRow() throws {
        let root = try makeRoot(friendCount: 8)
        let count = RepeatedConditionTests.count
        let stranger = friends(.none, friends(.any, RepeatedConditionTests.isWanted))
        let plan = QueryPlan(
            tableName: "Person",
            source: .list(tableName: "Group", row: ObjectKey(rawValue: 0), name: "members"),
            predicate: stranger)
        var statistics = QueryStatistics()
        expectEqual(try plan.count(root, statistics: &statistics), count - 15)
        expectEqual(statistics.rowsEvaluated, 3 * count)
        statistics = QueryStatistics()
        expectEqual(try plan.evaluate(root, statistics: &statistics).count, count - 15)
        expectEqual(statistics.rowsEvaluated, 3 * count)
    }

    /// All numbers change, and with them the wanted person.
    @Test func stepsOfManyRowsEvaluateConditionsOnceForEachRow() throws {
        let root = try makeRoot(friendCount: 8)
        let count = RepeatedConditionTests.count
        let transaction = EngineTransaction(base: root)
        for index in 0..<count {
            let number = index == 7 ? 5 : count + index
            try transaction.set(
                TableKey(rawValue: 0), ObjectKey(rawValue: UInt64(index)), ColumnKey(rawValue: 0),
                .int(Int64(number)))
        }
        let commit = try transaction.commit(
            timestampMicroseconds: 0, maximumBodyByteCount: .max)
        let stranger = friends(.none, friends(.any, RepeatedConditionTests.isWanted))
        let plan = QueryPlan(tableName: "Person", predicate: stranger)
        let counters = StreamCounters()
        let step = VersionStep(
            from: root, to: commit.root, summaries: [commit.summary], counters: counters)
        let before = try plan.evaluate(root, counters: StreamCounters())
        let (result, change) = try plan.advance(before, step)
        expectEqual(result.map(\.rawValue), try plan.evaluate(commit.root).map(\.rawValue))
        expectEqual(change.deletedKeys.map(\.rawValue), [4, 5])
        expectEqual(change.insertedKeys.map(\.rawValue), [1_989, 1_990])
        // two sets at each version
        expectEqual(counters.rowsEvaluated.value, 5 * count)
    }

    /// The evaluation of all rows then spares little.
    @Test func conditionsOnFriendsOfFewAreEvaluatedForThese() throws {
        let root = try makeRoot(friendCount: 3)
        let knows = friends(.any, RepeatedConditionTests.isWanted)
        try check(friends(.none, knows), root, sets: 1) { !(2...6).contains($0) }
        let hops = Array(repeating: RepeatedConditionTests.toFriends, count: 2)
        let path = Predicate.related(hops, .none, RepeatedConditionTests.isWanted)
        try check(path, root, sets: 1) { !(2...6).contains($0) }
    }

    /// Other terms may leave many rows.
    @Test func conditionsOnFriendsOfMostRowsAreEvaluatedOnceForEachRow() throws {
        let root = try makeRoot(friendCount: 8)
        let stranger = friends(.none, friends(.any, RepeatedConditionTests.isWanted))
        let isLow = Predicate.compare(RepeatedConditionTests.number, .less, .int(100))
        try check(.and([.not(isLow), stranger]), root, sets: 2) {
            !($0 <= 5 || $0 > 1_905) && !(2...16).contains($0)
        }
        try check(friends(.none, .and([.not(isLow), stranger])), root, sets: 3) {
            $0 <= 17 || $0 >= 1_914
        }
    }

    /// Other terms may leave few rows, and a limit is often reached soon.
    @Test func conditionsOnFriendsOfSomeRowsAreEvaluatedForThese() throws {
        let root = try makeRoot(friendCount: 8)
        let stranger = friends(.none, friends(.any, RepeatedConditionTests.isWanted))
        let isLow = Predicate.compare(RepeatedConditionTests.number, .less, .int(100))
        try check(.and([isLow, stranger]), root, sets: 0) {
            ($0 <= 5 || $0 > 1_905) && !(2...16).contains($0)
        }
        try check(.or([.not(isLow), stranger]), root, sets: 1) {
            !($0 <= 5 || $0 > 1_905) || !(2...16).contains($0)
        }
        try check(stranger, limit: 1_500, root, sets: 1) { !(2...16).contains($0) }
    }

    /// The first rows are evaluated before anything is evaluated for whole classes: one, sixteen,
    /// and so on, and for all but the first, the friends that they have together.
    @Test(arguments: [(1, 17 + 23), (14, 17 + 23), (15, 273 + 23 + 263)])
    func nestedConditionsAreEvaluatedForTheFirstRowsAlone(limit: Int, rowCount: Int) throws {
        let root = try makeRoot(friendCount: 8)
        let knows = friends(.any, friends(.any, RepeatedConditionTests.isWanted))
        let toFriends = RepeatedConditionTests.toFriends
        for predicate in [
            friends(.none, knows),
            .related(
                [toFriends, toFriends, toFriends], .none, RepeatedConditionTests.isWanted),
        ] {
            let plan = QueryPlan(tableName: "Person", predicate: predicate, limit: limit)
            var statistics = QueryStatistics()
            let found = try plan.evaluate(root, statistics: &statistics).map(\.rawValue)
            // 0, 1 and 2 lead to the wanted one
            expectEqual(found, (3..<3 + UInt64(limit)).map { $0 })
            expectEqual(statistics.rowsEvaluated, rowCount)
        }
    }

    private static let members = QuerySource.list(
        tableName: "Group", row: ObjectKey(rawValue: 0), name: "members")

    /// As above, for the elements of a list.
    @Test(arguments: [(1, 17 + 23), (14, 17 + 23), (15, 273 + 23 + 263)])
    func nestedConditionsAreEvaluatedForTheFirstElementsAlone(limit: Int, rowCount: Int) throws {
        let root = try makeRoot(friendCount: 8)
        let knows = friends(.any, friends(.any, RepeatedConditionTests.isWanted))
        let plan = QueryPlan(
            tableName: "Person", source: RepeatedConditionTests.members,
            predicate: friends(.none, knows))
        let counters = QueryCounters()
        let found = try plan.firstKeys(limit, QueryState(root, counters)).map(\.rawValue)
        expectEqual(found, (3..<3 + UInt64(limit)).map { $0 })
        expectEqual(counters.rowsEvaluated.value, rowCount)
    }

    @Test func nestedConditionsFindAnElement() throws {
        let root = try makeRoot(friendCount: 8)
        let knows = friends(.any, friends(.any, RepeatedConditionTests.isWanted))
        let plan = QueryPlan(
            tableName: "Person", source: RepeatedConditionTests.members, limit: 1_990)
        let isLate = Predicate.compare(RepeatedConditionTests.number, .greater, .int(1_000))
        for (predicate, position) in [
            (friends(.any, knows), 0), (friends(.none, knows), 3),
            (.and([isLate, friends(.any, knows)]), 1_981),
        ] {
            let found = try plan.firstPosition(where: predicate, QueryState(root))
            expectEqual(found, position, "\(predicate)")
        }
    }

    /// Pages begin within clusters.
    @Test func nestedConditionsAreEvaluatedForPagesInTheOrderOfCreation() throws {
        let root = try makeRoot(friendCount: 8)
        let knows = friends(.any, friends(.any, RepeatedConditionTests.isWanted))
        let plan = QueryPlan(tableName: "Person", predicate: .not(friends(.none, knows)))
        var keys: [Int] = []
        var place: PagePlace?
        for _ in 0..<4 {
            let page = try requireValue(plan.page(after: place, limit: 7, QueryState(root)))
            keys += page.keys.map { Int($0.rawValue) }
            place = page.end
        }
        expectEqual(keys, [0, 1, 2] + Array(1_981..<2_000))
    }

    /// An index has the rows in the order of the page.
    @Test func nestedConditionsAreEvaluatedForTheFirstRowsOfAnIndexAlone() throws {
        let root = try makeRoot(friendCount: 8, isIndexed: true)
        let knows = friends(.any, friends(.any, RepeatedConditionTests.isWanted))
        let sort = [SortTerm(column: RepeatedConditionTests.number, ascending: true)]
        let plan = QueryPlan(
            tableName: "Person", predicate: .not(friends(.none, knows)), sort: sort)
        for (limit, rows) in [(2, [0, 1]), (30, [0, 1, 2] + Array(1_981..<2_000))] {
            let counters = QueryCounters()
            let page = try requireValue(
                plan.page(after: nil, limit: limit, QueryState(root, counters)))
            expectEqual(page.keys.map { Int($0.rawValue) }, rows)
            // few of the index and their friends, then all by a scan and by each of the three
            // conditions on friends
            let maximum =
                limit == 2 ? 17 + 23 : 4 * RepeatedConditionTests.count + 2 * (4 * limit + 1_060)
            let count = counters.rowsEvaluated.value
            expectTrue(count <= maximum, "\(count) for \(limit)")
        }
    }

    /// Few rows of the index match, and each leads to many of the same rows.
    @Test func nestedConditionsAreNotEvaluatedForEachRowOfAnIndex() throws {
        let root = try makeRoot(friendCount: 8, isIndexed: true)
        let isWanted = RepeatedConditionTests.isWanted
        // a condition that no search from a single row decides, and no index
        let isNear = Predicate.or([isWanted, friends(.any, isWanted)])
        let leads = (0..<30).reduce(isNear) { term, _ in friends(.any, term) }
        let sort = [SortTerm(column: RepeatedConditionTests.number, ascending: true)]
        let plan = QueryPlan(tableName: "Person", predicate: .not(.not(leads)), sort: sort)
        let (once, counters) = (QueryCounters(), QueryCounters())
        let all = try plan.evaluate(QueryState(root, once)).map(\.rawValue)
        let page = try requireValue(
            plan.page(after: nil, limit: 100, QueryState(root, counters)))
        // thirty steps lead from 30 to 240 rows further, and one more to 248
        expectEqual(all, Array(1_757...1_975))
        expectEqual(page.keys.map(\.rawValue), Array(1_757..<1_857))
        let (count, maximum) = (counters.rowsEvaluated.value, 4 * once.rowsEvaluated.value)
        expectTrue(count < maximum, "\(count), at most \(maximum)")
        let last = try requireValue(plan.page(after: page.end, limit: 400, QueryState(root)))
        expectEqual(last.keys.map(\.rawValue), Array(1_857...1_975))
    }

    /// Every other row matches. The parts that are evaluated aren't enough for a page, and the next
    /// one would have more rows than are read.
    @Test func nestedConditionsAreEvaluatedForTheLastRowsReadFromAnIndex() throws {
        let root = try makeRoot(friendCount: 1, isIndexed: true)
        let number = RepeatedConditionTests.number
        let even = (0..<RepeatedConditionTests.count / 2).map { Value.int(Int64(2 * $0)) }
        let leads = friends(.any, friends(.any, friends(.any, .isIn(number, even))))
        let sort = [SortTerm(column: number, ascending: true)]
        let plan = QueryPlan(tableName: "Person", predicate: .not(.not(leads)), sort: sort)
        let counters = QueryCounters()
        let page = try requireValue(
            plan.page(after: nil, limit: 200, QueryState(root, counters)))
        expectEqual(page.keys.map(\.rawValue), (0..<200).map { 2 * $0 + 1 })
        // rows of the index and their friends, and all persons for their number; a scan would
        // evaluate as many again
        let count = counters.rowsEvaluated.value
        expectTrue(count < 7_000, "\(count)")
    }

    /// The rows with one value are too many to be sorted by the second term.
    @Test func nestedConditionsAreEvaluatedForPagesSortedByTwoProperties() throws {
        let transaction = EngineTransaction(base: .empty)
        let person = try transaction.addTable(
            name: "Person",
            columns: [
                ColumnDefinition(name: "number", type: .int),
                ColumnDefinition(name: "group", type: .int, isIndexed: true),
            ])
        let list = try transaction.addList(person, name: "friends", target: person)
        for index in 0..<1_200 {
            let key = try transaction.insert(person, [.int(Int64(-index)), .int(0)])
            try transaction.insertIntoList(person, key, list, at: 0, [key])
        }
        let root = try transaction.commit(
            timestampMicroseconds: 0, maximumBodyByteCount: .max
        ).root
        let isLow = Predicate.compare(RepeatedConditionTests.number, .lessOrEqual, .int(0))
        let leads = friends(.any, friends(.any, friends(.any, isLow)))
        let group = ColumnReference(name: "group", type: .int, missing: .int(0))
        let sort = [group, RepeatedConditionTests.number].map {
            SortTerm(column: $0, ascending: true)
        }
        let plan = QueryPlan(tableName: "Person", predicate: .not(.not(leads)), sort: sort)
        let page = try requireValue(plan.page(after: nil, limit: 10, QueryState(root)))
        expectEqual(page.keys.map(\.rawValue), (1_190..<1_200).reversed())
    }
}

import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Nested conditions on rows that are scattered over the clusters of a class and lead to the same
/// rows, which would be evaluated again for each cluster.
@Suite struct ScatteredConditionTests {
    private static let startCount = 100
    private static let personCount = 1_000

    private static let toFriends = Hop.list("friends", of: "Person")
    private static let group = ColumnReference(name: "group", type: .int, missing: .int(0))
    private static let number = ColumnReference(name: "number", type: .int, missing: .int(0))

    /// Every person is reached from each other one in a few steps, except for the last one, who is
    /// their own friend. Each start leads to a person, and the last one to the last.
    private func makeRoot() throws -> (root: DatabaseRoot, starts: [ObjectKey]) {
        let transaction = EngineTransaction(base: .empty)
        let person = try transaction.addTable(
            name: "Person", columns: [ColumnDefinition(name: "number", type: .int)])
        let friends = try transaction.addList(person, name: "friends", target: person)
        let start = try transaction.addTable(
            name: "Start", columns: [ColumnDefinition(name: "group", type: .int, isIndexed: true)])
        let first = try transaction.addList(start, name: "first", target: person)
        let last = ScatteredConditionTests.personCount - 1
        var persons: [ObjectKey] = []
        for index in 0...last {
            persons.append(try transaction.insert(person, [.int(Int64(index))]))
        }
        for index in 0..<last {
            let keys = (0..<8).map { persons[(8 * index + $0) % last] }
            try transaction.insertIntoList(person, persons[index], friends, at: 0, keys)
        }
        try transaction.insertIntoList(person, persons[last], friends, at: 0, [persons[last]])
        var starts: [ObjectKey] = []
        var others: [ObjectKey] = []
        for index in 0..<ScatteredConditionTests.startCount {
            for place in 0..<205 {
                let key = try transaction.insert(start, [.int(Int64(index % 4))])
                if place == 100 { starts.append(key) } else { others.append(key) }
            }
            let isLast = index == ScatteredConditionTests.startCount - 1
            try transaction.insertIntoList(
                start, starts[index], first, at: 0, [persons[isLast ? last : index]])
        }
        transaction.delete(start, others)
        let root = try transaction.commit(
            timestampMicroseconds: 0, maximumBodyByteCount: .max
        ).root
        return (root, starts)
    }

    /// Twenty steps, to a condition that no search from a single row decides.
    private var leadsToLast: Predicate {
        let last = Int64(ScatteredConditionTests.personCount - 1)
        let isLast = Predicate.compare(ScatteredConditionTests.number, .equal, .int(last))
        func friends(_ term: Predicate) -> Predicate {
            .related([ScatteredConditionTests.toFriends], .any, term)
        }
        let isNear = Predicate.or([isLast, friends(isLast)])
        return (0..<20).reduce(isNear) { term, _ in friends(term) }
    }

    @Test func nestedConditionsAreEvaluatedForManyClustersTogether() throws {
        let (root, starts) = try makeRoot()
        let once = QueryCounters()
        let others = QueryPlan(tableName: "Person", predicate: .not(leadsToLast))
        expectEqual(
            try others.evaluate(QueryState(root, once)).count,
            ScatteredConditionTests.personCount - 1)
        let leads = Predicate.related([.list("first", of: "Person")], .any, leadsToLast)
        let isInGroup = Predicate.compare(ScatteredConditionTests.group, .equal, .int(3))
        for predicate in [leads, .and([isInGroup, leads]), .or([leads, .constant(false)])] {
            for limit in [nil, 1] {
                let plan = QueryPlan(tableName: "Start", predicate: predicate, limit: limit)
                let counters = QueryCounters()
                let found = try plan.evaluate(QueryState(root, counters)).map { $0 }
                expectEqual(found, [starts[starts.count - 1]], "\(predicate)")
                let count = counters.rowsEvaluated.value
                let maximum = 4 * once.rowsEvaluated.value
                expectTrue(count < maximum, "\(count), at most \(maximum): \(predicate)")
            }
        }
    }
}

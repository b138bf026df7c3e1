import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// The cost of advancing a result, in rows for which the query is evaluated: it depends on the rows
/// that changed, whatever the shape of the query, and not on the total number of rows.
@Suite(.disabled(if: Effort.isReduced)) struct AdvanceCounterTests {
    private static let user = TableKey(rawValue: 0)
    private static let message = TableKey(rawValue: 1)
    private static let room = TableKey(rawValue: 2)

    private static let name = ColumnReference(name: "name", type: .string, missing: .string(""))
    private static let age = ColumnReference(name: "age", type: .int, missing: .int(0))
    private static let text = ColumnReference(name: "text", type: .string, missing: .string(""))
    private static let sender = Hop.link("sender", to: "User")
    private static let senderName = ColumnReference(
        name: "name", type: .string, missing: .string(""), hops: [sender])

    /// Makes `count` messages, two of each user, each of them liked by its sender and by the next
    /// user; and a room with 50 of them.
    private func content(_ count: Int) throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        let user = try transaction.addTable(
            name: "User",
            columns: [
                ColumnDefinition(name: "name", type: .string),
                ColumnDefinition(name: "age", type: .int),
            ])
        let message = try transaction.addTable(
            name: "Message",
            columns: [
                ColumnDefinition(name: "text", type: .string),
                ColumnDefinition(name: "age", type: .int),
                .link(name: "sender", to: user),
            ])
        let likes = try transaction.addList(message, name: "likes", target: user)
        let room = try transaction.addTable(name: "Room", columns: [])
        let messages = try transaction.addList(room, name: "messages", target: message)
        let users = try (0..<count / 2).map { number in
            try transaction.insert(
                user, [.string("n\(number % 20)"), .int(Int64(number % 100))])
        }
        for number in 0..<count {
            let owner = users[number % users.count]
            let key = try transaction.insert(
                message,
                [
                    .string("t\(number % 50)"), .int(Int64(number % 100)),
                    .int(Int64(owner.rawValue)),
                ])
            let other = users[(number + 1) % users.count]
            try transaction.insertIntoList(message, key, likes, at: 0, [owner, other])
        }
        let only = try transaction.insert(room, [])
        try transaction.insertIntoList(
            room, only, messages, at: 0, (0..<50).map { ObjectKey(rawValue: $0) })
        return try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: .max).root
    }

    private static var plans: [(name: String, plan: QueryPlan)] {
        let isOld = Predicate.compare(age, .greater, .int(50))
        let byAge = [SortTerm(column: age, ascending: true)]
        let byText = [SortTerm(column: text, ascending: false)]
        let bySender = [SortTerm(column: senderName, ascending: true)]
        let isNamed = Predicate.compare(name, .equal, .string("n3"))
        func messages(
            _ predicate: Predicate = .constant(true), _ sort: [SortTerm] = [],
            source: QuerySource = .table, steps: [QueryStep] = [], limit: Int? = nil
        ) -> QueryPlan {
            QueryPlan(
                tableName: "Message", source: source, predicate: predicate, sort: sort,
                steps: steps, limit: limit)
        }
        let list = QuerySource.list(
            tableName: "Room", row: ObjectKey(rawValue: 0), name: "messages")
        let inverse = QuerySource.backlinks(
            name: "sender", target: "User", row: ObjectKey(rawValue: 3))
        return [
            ("all", messages()),
            ("condition", messages(isOld)),
            ("condition and sort", messages(isOld, byAge)),
            ("sort by text", messages(isOld, byText + byAge)),
            ("condition on a link", messages(.compare(senderName, .equal, .string("n3")))),
            (
                "condition on a list",
                messages(.related([.list("likes", of: "User")], .any, isNamed))
            ),
            (
                "condition on an inverse",
                QueryPlan(
                    tableName: "User",
                    predicate: .count(
                        [.backlinks("sender", of: "Message")], isOld, .greater, 0))
            ),
            (
                "condition on an inverse of a list",
                QueryPlan(
                    tableName: "User",
                    predicate: .related([.backlinks("likes", of: "Message")], .all, isOld))
            ),
            ("sort by a link", messages(isOld, bySender)),
            ("distinct", messages(isOld, byAge, steps: [.distinct([text])])),
            ("distinct by a link", messages(isOld, steps: [.distinct([senderName])])),
            ("limit", messages(isOld, byAge, limit: 20)),
            (
                "all at once",
                messages(
                    isOld, byAge, steps: [.distinct([text, senderName]), .sort(bySender)],
                    limit: 20)
            ),
            ("inverse", messages(source: inverse)),
            ("list", messages(source: list)),
            ("condition in a list", messages(isOld, source: list)),
            ("value", messages(.and([.compare(age, .equal, .int(7)), .not(isNamedText)]))),
        ]
    }

    private static let isNamedText = Predicate.compare(text, .equal, .string("t3"))

    /// Returns, by plan, the rows evaluated in some steps with a few changed rows each.
    private func costs(_ count: Int) throws -> [Int] {
        var root = try content(count)
        let plans = AdvanceCounterTests.plans.map(\.plan)
        let counters = plans.map { _ in StreamCounters() }
        var results = try zip(plans, counters).map { try $0.evaluate(root, counters: $1) }
        let before = counters.map(\.rowsEvaluated.value)
        for step in 0..<12 {
            let transaction = EngineTransaction(base: root)
            for number in 0..<4 {
                let row = ObjectKey(rawValue: UInt64(step * 20 + number * 7))
                switch step % 4 {
                case 0:
                    try transaction.set(
                        AdvanceCounterTests.message, row, ColumnKey(rawValue: 1),
                        .int(Int64(step * 31 % 100)))
                case 1:
                    try transaction.set(
                        AdvanceCounterTests.user, row, ColumnKey(rawValue: 0),
                        .string("n\(step % 5)"))
                case 2:
                    try transaction.set(
                        AdvanceCounterTests.message, row, ColumnKey(rawValue: 2),
                        .int(Int64(number)))
                default:
                    transaction.removeFromList(
                        AdvanceCounterTests.message, row, ListKey(rawValue: 0), 0..<1)
                }
            }
            let commit = try transaction.commit(timestampMicroseconds: 0)
            for (index, plan) in plans.enumerated() {
                let version = VersionStep(
                    from: root, to: commit.root, summaries: [commit.summary],
                    counters: counters[index])
                results[index] = try plan.advance(results[index], version).0
                if count > 1_000 { continue }
                try expectEqual(Array(results[index]), Array(plan.evaluate(commit.root)))
            }
            root = commit.root
        }
        return zip(counters, before).map { $0.rowsEvaluated.value - $1 }
    }

    // Covers O36
    @Test func aStepCostsWhatChangedWhateverTheShape() throws {
        let few = try costs(1_000)
        let many = try costs(20_000)
        for (index, plan) in AdvanceCounterTests.plans.enumerated() {
            expectTrue(many[index] <= few[index], "\(plan.name)")
            // 48 rows change, and each is reachable from 6 others at most.
            expectTrue(few[index] <= 48 * 8 + 12 * 50, "\(plan.name)")
        }
        expectEqual(few[1], 6 * 4 + 3 * 4, "messages that were set or had a list spliced")
    }

    @Test func aResultForAStreamCostsWhatAnyDoes() throws {
        let root = try content(1_000)
        for (name, plan) in AdvanceCounterTests.plans {
            let counters = StreamCounters()
            var statistics = QueryStatistics()
            let expected = try plan.evaluate(root, statistics: &statistics)
            let result = try plan.evaluate(root, counters: counters)
            expectEqual(Array(result), Array(expected), "\(name)")
            expectTrue(
                counters.rowsEvaluated.value <= max(statistics.rowsEvaluated, 1_500), "\(name)")
        }
    }
}

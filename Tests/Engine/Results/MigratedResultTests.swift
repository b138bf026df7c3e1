import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Results that are followed across the schema changes that only migrations make.
@Suite struct MigratedResultTests {
    /// A schema change by another program, named for failures.
    struct Migration: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (EngineTransaction) throws -> Void
    }

    private static let table = TableKey(rawValue: 0)
    private static let text = ColumnKey(rawValue: 1)
    private static let title = ColumnKey(rawValue: 2)
    private static let replies = ListKey(rawValue: 0)
    private static let sources = ListKey(rawValue: 1)
    private static let row = ObjectKey(rawValue: 0)

    private static func addClass(_ transaction: EngineTransaction, count: Int) throws {
        let table = try transaction.addTable(
            name: "Message",
            columns: [
                ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
                ColumnDefinition(name: "text", type: .string),
                ColumnDefinition(name: "title", type: .string),
            ])
        _ = try transaction.addList(table, name: "replies", target: table)
        _ = try transaction.addList(table, name: "sources", target: table)
        let rows = try (0..<count).map { id in
            try transaction.insert(
                table,
                [.int(Int64(id)), .string(["a", "b"][id % 2]), .string(["b", "c"][id / 3 % 2])]
            )
        }
        try transaction.insertIntoList(table, rows[0], replies, at: 0, Array(rows[1..<6]))
        try transaction.insertIntoList(table, rows[0], sources, at: 0, Array(rows[4..<9]))
    }

    private static let migrations = [
        Migration(testDescription: "exchanged names") { transaction in
            try transaction.rename(table, text, to: "other")
            try transaction.rename(table, title, to: "text")
            try transaction.rename(table, text, to: "title")
        },
        Migration(testDescription: "dropped property") { $0.drop(table, text) },
        Migration(testDescription: "replaced property") { transaction in
            transaction.drop(table, text)
            try transaction.rename(table, title, to: "text")
        },
        Migration(testDescription: "name of a property that wasn't stored") {
            try $0.rename(table, title, to: "tag")
        },
        Migration(testDescription: "property stored with another default") {
            _ = try $0.addColumn(
                table,
                ColumnDefinition(name: "tag", type: .string, defaultValue: .string("b")))
        },
        Migration(testDescription: "replaced list") { transaction in
            transaction.drop(table, replies)
            try transaction.rename(table, sources, to: "replies")
        },
        Migration(testDescription: "dropped list") { $0.drop(table, replies) },
        Migration(testDescription: "dropped class") { $0.dropTable(table) },
        Migration(testDescription: "class created again") { transaction in
            transaction.dropTable(table)
            try addClass(transaction, count: 12)
        },
    ]

    private static func reference(_ name: String) -> ColumnReference {
        ColumnReference(name: name, type: .string, missing: .string(""))
    }

    private static var plans: [QueryPlan] {
        let isA = Predicate.compare(reference("text"), .equal, .string("a"))
        let byText = [SortTerm(column: reference("text"), ascending: false)]
        let replies = QuerySource.list(tableName: "Message", row: row, name: "replies")
        return [
            QueryPlan(tableName: "Message"),
            QueryPlan(tableName: "Message", predicate: isA),
            QueryPlan(tableName: "Message", predicate: .not(isA), sort: byText),
            QueryPlan(tableName: "Message", sort: byText),
            QueryPlan(tableName: "Message", sort: byText, limit: 5),
            QueryPlan(tableName: "Message", distinct: [[reference("text")]]),
            QueryPlan(
                tableName: "Message",
                predicate: .compare(reference("tag"), .equal, .string(""))),
            QueryPlan(
                tableName: "Message",
                predicate: .compareColumns(reference("text"), .notEqual, reference("tag"))),
            QueryPlan(
                tableName: "Message",
                predicate: .matchTextColumns(
                    reference("text"), .beginsWith, reference("tag"), ignoring: [])),
            QueryPlan(tableName: "Message", source: replies),
            QueryPlan(tableName: "Message", source: replies, predicate: isA),
        ]
    }

    // Covers O9
    @Test(arguments: migrations)
    func resultsAreThoseOfTheNewSchema(_ migration: Migration) throws {
        let setup = EngineTransaction(base: .empty)
        try MigratedResultTests.addClass(setup, count: 20)
        let base = try setup.commit(timestampMicroseconds: 1).root
        let transaction = EngineTransaction(base: base)
        try migration.run(transaction)
        let commit = try transaction.commit(timestampMicroseconds: 2)
        for plan in MigratedResultTests.plans {
            let result = try plan.evaluate(base, counters: StreamCounters())
            let before = Array(result)
            expectTrue(!before.isEmpty)
            for summaries in [nil, [commit.summary]] {
                let step = VersionStep(from: base, to: commit.root, summaries: summaries)
                let (new, change) = try plan.advance(result, step)
                let after = Array(new)
                try expectEqual(after, Array(plan.evaluate(commit.root)))
                expectEqual(change.deletedKeys, change.deletions.map { before[$0] })
                expectEqual(change.insertedKeys, change.insertions.map { after[$0] })
                expectEqual(AdvanceTests.apply(change, before, after), after)
                try expectEqual(plan.change(from: result, to: new, step), change)
                if commit.root.schema.tables.count > 1 {
                    // rows with the same keys, but different ones
                    expectEqual(change.deletions.count, before.count)
                }
            }
        }
    }

    // Covers O9
    @Test func rowsOfADroppedClassWithTheSameNameAreNotInserted() throws {
        let base = DatabaseRoot.empty
        let setup = EngineTransaction(base: base)
        try MigratedResultTests.addClass(setup, count: 20)
        let first = try setup.commit(timestampMicroseconds: 1)
        let transaction = EngineTransaction(base: first.root)
        transaction.dropTable(MigratedResultTests.table)
        try MigratedResultTests.addClass(transaction, count: 12)
        let second = try transaction.commit(timestampMicroseconds: 2)
        for plan in MigratedResultTests.plans {
            let result = try plan.evaluate(base, counters: StreamCounters())
            let step = VersionStep(
                from: base, to: second.root, summaries: [first.summary, second.summary])
            let (new, change) = try plan.advance(result, step)
            try expectEqual(Array(new), Array(plan.evaluate(second.root)))
            expectEqual(change.insertions, Array(0..<new.count))
            expectEqual(change.insertedKeys, Array(new))
            expectTrue(change.deletions.isEmpty && change.modifications.isEmpty)
        }
    }
}

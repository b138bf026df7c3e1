import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// The number of rows examined to find those that count as modified.
@Suite struct MarkCostTests {
    /// A hub that lists all parents, one child for each parent, and an unrelated class.
    private struct Families {
        let root: DatabaseRoot
        let parent = TableKey(rawValue: 0)
        let child = TableKey(rawValue: 1)
        let lonely = TableKey(rawValue: 2)
        let link = ColumnKey(rawValue: 1)
        let list = ListKey(rawValue: 0)
        let hub = ObjectKey(rawValue: 0)

        init(count: Int) throws {
            let transaction = EngineTransaction(base: .empty)
            let text = ColumnDefinition(name: "name", type: .string)
            for name in ["Parent", "Child", "Lonely"] {
                _ = try transaction.addTable(name: name, columns: [text])
            }
            _ = try transaction.addColumn(parent, .link(name: "child", to: child))
            _ = try transaction.addList(parent, name: "children", target: child)
            let hub = try transaction.insert(child, [.string("hub")])
            _ = try transaction.insert(lonely, [.string("lonely")])
            for _ in 0..<count {
                let own = try transaction.insert(child, [.string("child")])
                let row = try transaction.insert(
                    parent, [.string("parent"), .int(Int64(own.rawValue))])
                try transaction.insertIntoList(parent, row, list, at: 0, [hub])
            }
            root = try transaction.commit(timestampMicroseconds: 1).root
        }

        /// Returns the step in which the names of rows are set.
        func setting(_ table: TableKey, _ rows: [ObjectKey]) throws -> VersionStep {
            let transaction = EngineTransaction(base: root)
            for row in rows {
                try transaction.set(table, row, ColumnKey(rawValue: 0), .string("new"))
            }
            let commit = try transaction.commit(timestampMicroseconds: 2)
            return VersionStep(from: root, to: commit.root, summaries: [commit.summary])
        }
    }

    private static let path = ChangeFilter.paths([
        ChangePath(hops: [.link("child", to: "Child")], last: .property("name")),
        ChangePath(hops: [.list("children", of: "Child")], last: .property("name")),
    ])

    // Covers O36
    @Test(arguments: [ChangeFilter.deep(3), path])
    func rowsThatAreLookedAtDoNotGrowWithTheRealm(_ filter: ChangeFilter) throws {
        let counts = try [100, 5_000].map { count in
            let families = try Families(count: count)
            let step = try families.setting(families.child, [ObjectKey(rawValue: 7)])
            let marks = step.marks("Parent", filter)
            expectEqual(marks.rows.keys.map(\.rawValue), [6])
            return step.counters.rowsReached.value
        }
        expectTrue(counts[0] == counts[1] && counts[0] <= 4)
    }

    @Test func changesThatCannotBeReachedAreNotLookedAt() throws {
        let families = try Families(count: 100)
        let rows = (1..<50).map { ObjectKey(rawValue: UInt64($0)) }
        let parents = try families.setting(families.parent, rows)
        expectTrue(parents.marks("Child", .deep(3)).isEmpty)
        expectTrue(parents.marks("Lonely", .deep(3)).isEmpty)
        expectEqual(parents.marks("Parent", .deep(3)).rows.count, rows.count)
        expectEqual(parents.counters.rowsReached.value, 0)
        let lonely = try families.setting(families.lonely, [ObjectKey(rawValue: 0)])
        expectTrue(lonely.marks("Parent", .deep(3)).isEmpty)
        expectEqual(lonely.counters.rowsReached.value, 0)
    }

    @Test(arguments: [ChangeFilter.deep(3), path])
    func fewRowsAreAskedThemselvesWhereManyReachAChange(_ filter: ChangeFilter) throws {
        let families = try Families(count: 5_000)
        let step = try families.setting(families.child, [families.hub])
        let rows = [3, 4_000, 17].map { ObjectKey(rawValue: $0) }
        expectEqual(step.marks("Parent", filter, among: rows).rows.keys.sorted(), rows.sorted())
        expectTrue(step.counters.rowsReached.value < 300)
        // Many are found starting from the change.
        let all = step.new.keys(families.parent)
        expectEqual(step.marks("Parent", filter, among: all).rows.count, 5_000)
        let reached = step.counters.rowsReached.value
        expectTrue(reached < 20_000)
        // Known results aren't computed again.
        expectEqual(step.marks("Parent", filter, among: all).rows.count, 5_000)
        expectEqual(step.marks("Parent", filter).rows.count, 5_000)
        expectEqual(step.marks("Parent", filter, among: rows).rows.keys.sorted(), rows.sorted())
        expectEqual(step.counters.rowsReached.value, reached)
    }

    @Test(arguments: [ChangeFilter.deep(3), path])
    func manyRowsAreNotAskedWhereFewReachAChange(_ filter: ChangeFilter) throws {
        let families = try Families(count: 5_000)
        let step = try families.setting(families.child, [ObjectKey(rawValue: 7)])
        let all = step.new.keys(families.parent)
        expectEqual(step.marks("Parent", filter, among: all).rows.keys.map(\.rawValue), [6])
        expectTrue(step.counters.rowsReached.value <= 4)
    }

    @Test func routesShareWhatWasFound() throws {
        let families = try Families(count: 1_000)
        let step = try families.setting(
            families.child, (1..<1_000).map { ObjectKey(rawValue: $0) })
        var reached: Int?
        for value in 1..<1_000 {
            let route = Route(tableName: "Parent", column: "child", value: .int(Int64(value)))
            let marks = step.marks("Parent", .deep(3), route: route)
            expectEqual(marks.rows.keys.map { $0.rawValue }, [UInt64(value - 1)])
            expectEqual(step.counters.rowsReached.value, reached ?? step.counters.rowsReached.value)
            reached = step.counters.rowsReached.value
        }
    }
}

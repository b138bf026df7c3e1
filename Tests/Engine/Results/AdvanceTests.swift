import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Maintained results against the definition of change sets, evaluated on plain arrays.
@Suite struct AdvanceTests {
    /// The definition: untouched rows keep their position; of the touched rows in both results that
    /// still fit between them, the longest subsequence stays, with ties decided by the lower old
    /// positions.
    struct Expected: Equatable {
        var deletions: [Int] = []
        var insertions: [Int] = []
        var modifications: [Int] = []
        var newModifications: [Int] = []

        init(_ old: [ObjectKey], _ new: [ObjectKey], _ touched: Set<ObjectKey>) {
            let untouchedBefore = { (rows: [ObjectKey], index: Int) in
                rows[..<index].filter { !touched.contains($0) }
            }
            let fitting = old.indices.filter { index in
                guard touched.contains(old[index]), let place = new.firstIndex(of: old[index])
                else { return false }
                return untouchedBefore(old, index) == untouchedBefore(new, place)
            }
            let places = fitting.map { new.firstIndex(of: old[$0]) ?? -1 }
            // best[i]: the best choice that starts with fitting[i], as positions in `fitting`.
            var best = [[Int]](repeating: [], count: fitting.count)
            for start in fitting.indices.reversed() {
                var tail: [Int] = []
                for next in fitting.indices where next > start && places[next] > places[start] {
                    if Expected.isBetter(best[next], tail) { tail = best[next] }
                }
                best[start] = [start] + tail
            }
            let chosen = best.reduce([]) { Expected.isBetter($1, $0) ? $1 : $0 }
            let staying = Set(chosen.map { old[fitting[$0]] })
            for (index, key) in old.enumerated() where touched.contains(key) {
                if staying.contains(key) {
                    modifications.append(index)
                } else {
                    deletions.append(index)
                }
            }
            for (index, key) in new.enumerated() where touched.contains(key) {
                if staying.contains(key) {
                    newModifications.append(index)
                } else {
                    insertions.append(index)
                }
            }
        }

        private static func isBetter(_ a: [Int], _ b: [Int]) -> Bool {
            a.count != b.count ? a.count > b.count : a.lexicographicallyPrecedes(b)
        }

        init(_ change: ResultChange) {
            deletions = change.deletions
            insertions = change.insertions
            modifications = change.modifications
            newModifications = change.newModifications
        }
    }

    private static let columns = [
        ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
        ColumnDefinition(name: "room", type: .string, isIndexed: true),
        ColumnDefinition(name: "rank", type: .double, isOptional: true),
        ColumnDefinition(name: "text", type: .string),
    ]

    private func plans(_ generator: inout SeededRandom) -> [QueryPlan] {
        let room = Everything.reference(AdvanceTests.columns[1])
        let rank = Everything.reference(AdvanceTests.columns[2])
        let added = ColumnReference(name: "added", type: .int, missing: .int(0))
        let inRoom = Predicate.compare(room, .equal, .string("a"))
        let byRank = [SortTerm(column: rank, ascending: generator.oneIn(2))]
        let byBoth = [SortTerm(column: room, ascending: generator.oneIn(2))] + byRank
        return [
            QueryPlan(tableName: "Message"),
            QueryPlan(tableName: "Message", predicate: inRoom),
            QueryPlan(tableName: "Message", predicate: .not(inRoom), sort: byRank),
            QueryPlan(tableName: "Message", sort: byRank),
            QueryPlan(tableName: "Message", sort: byBoth),
            QueryPlan(
                tableName: "Message", predicate: .compare(added, .equal, .int(0)), sort: byRank),
            QueryPlan(tableName: "Message", sort: [SortTerm(column: added, ascending: true)]),
        ]
    }

    private func randomRow(_ id: Int, _ generator: inout SeededRandom) -> [Value] {
        [
            .int(Int64(id)), .string(["a", "b"][generator.below(2)]),
            generator.value(.double, isOptional: true), .string("\(id)"),
        ]
    }

    // Covers O14
    @Test func changesFollowTheDefinition() throws {
        var generator = SeededRandom("AdvanceTests.changesFollowTheDefinition")
        for round in 0..<40 { try runHistory(&generator, addsColumn: round % 4 == 0) }
    }

    private func runHistory(_ generator: inout SeededRandom, addsColumn: Bool) throws {
        var root = DatabaseRoot.empty
        let plans = plans(&generator)
        var states: [(root: DatabaseRoot, result: ResultTree, seen: Int)] = []
        for plan in plans {
            states.append((root, try plan.evaluate(root, counters: StreamCounters()), 0))
        }
        var summaries: [CommitSummary] = []
        var nextID = 0
        for step in 0..<25 {
            let transaction = EngineTransaction(base: root)
            if step == 2 {
                _ = try transaction.addTable(name: "Message", columns: AdvanceTests.columns)
            }
            if step == 12, addsColumn {
                _ = try transaction.addColumn(
                    TableKey(rawValue: 0),
                    ColumnDefinition(
                        name: "added", type: .int,
                        defaultValue: .int(Int64(generator.below(2)))))
            }
            if let schema = transaction.schema.table(named: "Message") {
                for _ in 0..<generator.below(step % 5 == 0 ? 25 : 6) {
                    try edit(transaction, schema, &nextID, &generator)
                }
            }
            guard transaction.hasChanges else { continue }
            let commit = try commitAndReplay(transaction)
            root = commit.root
            summaries.append(commit.summary)
            for index in plans.indices where generator.oneIn(3) {
                try expectAdvance(
                    plans[index], &states[index], root, summaries,
                    withSummaries: !generator.oneIn(3), addsColumn)
            }
        }
    }

    private func edit(
        _ transaction: EngineTransaction, _ schema: TableSchema, _ nextID: inout Int,
        _ generator: inout SeededRandom
    ) throws {
        let key = transaction.keys(schema.key).randomElement(using: &generator)
        switch (generator.below(10), key) {
        case (0..<4, _), (_, nil):
            _ = try transaction.insert(schema.key, randomRow(nextID, &generator))
            nextID += 1
        case (4, let key?), (5, let key?):
            transaction.delete(schema.key, key)
        case (_, let key?):
            let values = randomRow(nextID, &generator) + [.int(Int64(generator.below(2)))]
            let column = 1 + generator.below(schema.columns.count - 1)
            try transaction.set(
                schema.key, key, ColumnKey(rawValue: UInt16(column)), values[column])
        }
    }

    private func expectAdvance(
        _ plan: QueryPlan, _ state: inout (root: DatabaseRoot, result: ResultTree, seen: Int),
        _ root: DatabaseRoot, _ summaries: [CommitSummary], withSummaries: Bool, _ addsColumn: Bool
    ) throws {
        let new = summaries[state.seen...]
        let merged = MergedDelta(new, tableName: "Message")
        let step = VersionStep(
            from: state.root, to: root, summaries: withSummaries ? Array(new) : nil)
        var (result, change) = try plan.advance(state.result, step)
        try expectEqual(plan.change(from: state.result, to: result, step), change)
        var marks = RowMarks()
        for row in merged.modified {
            marks.rows[row.key] = RowMarks.Mark()
            marks.rows[row.key]?.columns = row.columns
        }
        try plan.mark(&change, marks, in: result, step)
        let before = Array(state.result)
        let after = Array(result)
        expectEqual(after, NaiveQuery.evaluate(plan, NaiveQuery.items(root, "Message")))
        expectEqual(change.deletedKeys, change.deletions.map { before[$0] })
        expectEqual(change.insertedKeys, change.insertions.map { after[$0] })
        expectEqual(change.modified.map(\.oldIndex), change.modifications)
        expectEqual(change.modified.map(\.newIndex), change.newModifications)
        expectEqual(change.modified.map(\.key), change.modifications.map { before[$0] })
        expectEqual(change.modified.map(\.key), change.newModifications.map { after[$0] })
        expectEqual(AdvanceTests.apply(change, before, after), after)
        let hasOldColumn = state.root.schema.table(named: "Message")?.column(named: "added") != nil
        let hasNewColumn = root.schema.table(named: "Message")?.column(named: "added") != nil
        if hasOldColumn == hasNewColumn || state.root.schema.tables.isEmpty {
            let touched = Set(merged.inserted + merged.deleted + merged.modified.map(\.key))
            expectEqual(Expected(change), Expected(before, after, touched))
            for row in change.modified { expectEqual(row.mark, marks[row.key]) }
        }
        state = (root, result, summaries.count)
    }

    /// Applies a change as an observer does: deletes from the back, inserts from the front.
    static func apply(
        _ change: ResultChange, _ before: [ObjectKey], _ after: [ObjectKey]
    ) -> [ObjectKey] {
        var mirror = before
        for index in change.deletions.reversed() { mirror.remove(at: index) }
        for index in change.insertions { mirror.insert(after[index], at: index) }
        return mirror
    }

    @Test func summariesMergeToTheNetEffect() throws {
        var generator = SeededRandom("AdvanceTests.summariesMerge")
        let setup = EngineTransaction(base: .empty)
        let table = try setup.addTable(name: "Message", columns: AdvanceTests.columns)
        for id in 0..<30 { _ = try setup.insert(table, randomRow(id, &generator)) }
        let base = try commitAndReplay(setup).root
        for _ in 0..<100 {
            var root = base
            var nextID = 100
            var summaries: [CommitSummary] = []
            for _ in 0..<1 + generator.below(5) {
                let transaction = EngineTransaction(base: root)
                let schema = try requireValue(transaction.schema.table(named: "Message"))
                for _ in 0..<1 + generator.below(10) {
                    try edit(transaction, schema, &nextID, &generator)
                }
                let commit = try commitAndReplay(transaction)
                summaries.append(commit.summary)
                root = commit.root
            }
            let merged = MergedDelta(summaries, tableName: "Message")
            let diff = MergedDelta(from: base, to: root, tableName: "Message")
            expectTrue(merged.inserted == diff.inserted && merged.deleted == diff.deleted)
            expectEqual(merged.modified.map(\.key), diff.modified.map(\.key))
            for (a, b) in zip(merged.modified, diff.modified) {
                expectTrue(Set(a.columns.columns).isSuperset(of: b.columns.columns))
            }
        }
    }

    @Test func oneChangeInALargeResultTouchesFewNodes() throws {
        let setup = EngineTransaction(base: .empty)
        let table = try setup.addTable(name: "Message", columns: AdvanceTests.columns)
        for id in 0..<5000 {
            _ = try setup.insert(
                table, [.int(Int64(id)), .string("a"), .double(Double(id)), .string("")])
        }
        let base = try setup.commit(timestampMicroseconds: 0).root
        let rank = Everything.reference(AdvanceTests.columns[2])
        let plan = QueryPlan(
            tableName: "Message", sort: [SortTerm(column: rank, ascending: false)])
        let result = try plan.evaluate(base, counters: StreamCounters())
        let transaction = EngineTransaction(base: base)
        try transaction.set(
            table, ObjectKey(rawValue: 10), ColumnKey(rawValue: 2), .double(10_000))
        try transaction.set(
            table, ObjectKey(rawValue: 20), ColumnKey(rawValue: 2), .double(20.5))
        let commit = try transaction.commit(timestampMicroseconds: 0)
        let step = VersionStep(from: base, to: commit.root, summaries: [commit.summary])
        let (new, first) = try plan.advance(result, step)
        var change = first
        expectTrue(change.deletions == [4989] && change.insertions == [0])
        var marks = RowMarks()
        marks.rows[ObjectKey(rawValue: 10)] = RowMarks.Mark()
        marks.rows[ObjectKey(rawValue: 20)] = RowMarks.Mark()
        try plan.mark(&change, marks, in: new, step)
        expectTrue(change.modifications == [4979] && change.newModifications == [4980])
        expectEqual(change.modified.map(\.key), [ObjectKey(rawValue: 20)])
    }

    @Test func aRouteTellsTheRowsThatHadOrHaveTheValue() throws {
        var generator = SeededRandom("AdvanceTests.aRouteTellsTheRows")
        let setup = EngineTransaction(base: .empty)
        let table = try setup.addTable(name: "Message", columns: AdvanceTests.columns)
        var nextID = 60
        for id in 0..<nextID { _ = try setup.insert(table, randomRow(id, &generator)) }
        var root = try commitAndReplay(setup).root
        for round in 0..<60 {
            let transaction = EngineTransaction(base: root)
            let schema = try requireValue(transaction.schema.table(named: "Message"))
            for _ in 0..<generator.below(30) {
                try edit(transaction, schema, &nextID, &generator)
            }
            guard transaction.hasChanges else { continue }
            let commit = try commitAndReplay(transaction)
            let step = VersionStep(
                from: root, to: commit.root, summaries: round % 3 == 0 ? nil : [commit.summary])
            let delta = step.rows("Message")
            for index in 0..<AdvanceTests.columns.count {
                let column = ColumnKey(rawValue: UInt16(index))
                let known = root.keys(table).compactMap { root.value(table, $0, column) }
                for value in Set(known).union([.string("none")]) {
                    if case .double(let x) = value, x.isNaN { continue }
                    let route = Route(
                        tableName: "Message", column: AdvanceTests.columns[index].name,
                        value: value)
                    func has(_ root: DatabaseRoot, _ key: ObjectKey) -> Bool {
                        root.value(table, key, column).map { Value.compare($0, value) == 0 }
                            ?? false
                    }
                    let found = step.delta(route)
                    expectEqual(found.inserted, delta.inserted.filter { has(commit.root, $0) })
                    expectEqual(found.deleted, delta.deleted.filter { has(root, $0) })
                    expectEqual(
                        found.modified,
                        delta.modified.filter {
                            has(commit.root, $0.key) || has(root, $0.key)
                        })
                }
            }
            root = commit.root
        }
    }

    // Covers O35
    @Test func theRouteOfAPlanIsAnEqualityThatAllItsRowsHave() throws {
        let id = Everything.reference(AdvanceTests.columns[0])
        let room = Everything.reference(AdvanceTests.columns[1])
        let rank = Everything.reference(AdvanceTests.columns[2])
        let isOne = Predicate.compare(id, .equal, .int(1))
        let inRoom = Predicate.compare(room, .equal, .string("a"))
        func route(_ predicate: Predicate, _ schema: DatabaseSchema? = nil) -> Route? {
            QueryPlan(tableName: "Message", predicate: predicate).route(in: schema)
        }
        func of(_ column: ColumnReference, _ value: Value) -> Route {
            Route(tableName: "Message", column: column.name, value: value)
        }
        expectEqual(route(inRoom), of(room, .string("a")))
        expectEqual(route(.and([.constant(true), .and([inRoom])])), of(room, .string("a")))
        expectEqual(route(.compare(rank, .equal, .double(-0.0))), of(rank, .double(0)))
        let ranked = Predicate.compare(rank, .equal, .double(1))
        expectEqual(route(.and([ranked, inRoom])), of(room, .string("a")))
        let setup = EngineTransaction(base: .empty)
        _ = try setup.addTable(name: "Message", columns: AdvanceTests.columns)
        let schema = try commitAndReplay(setup).root.schema
        expectEqual(route(.and([inRoom, isOne]), schema), of(id, .int(1)))
        for predicate: Predicate in [
            .constant(true), .or([inRoom, inRoom]), .not(inRoom),
            .compare(room, .notEqual, .string("a")), .compare(room, .equal, .null),
            .compare(rank, .equal, .double(.nan)), .compare(rank, .equal, .int(1)),
            .compare(
                ColumnReference(
                    name: "room", type: .string, missing: .string(""),
                    hops: [.link("other", to: "Message")]), .equal, .string("a")),
        ] {
            expectNil(route(predicate))
        }
    }
}

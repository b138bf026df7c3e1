import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Full-text indexes through random changes, compared with a scan of the texts.
@Suite struct FullTextIndexTests {
    // Covers 10.7, 10.8, 10.9
    @Test func indexesAgreeWithTheTextsThroughRandomChanges() throws {
        for _ in 0..<Effort.count(gate: 4, soak: 60) {
            var notes = try FullTextNotes(SeededRandom("FullTextIndexTests.randomChanges"))
            for round in 0..<30 {
                let transaction = EngineTransaction(base: notes.root)
                var changed = notes
                try changed.change(transaction)
                if round % 7 == 3 {
                    transaction.abort()
                } else {
                    changed.root = try changed.commit(transaction)
                    notes = changed
                }
                try notes.check()
            }
        }
    }

    // Covers 10.7
    @Test func checkpointsAreLoadedWithTheirFullTextIndexes() throws {
        var notes = try FullTextNotes(SeededRandom("FullTextIndexTests.checkpoints"))
        let file = MemoryNodesFile()
        for _ in 0..<Effort.count(gate: 6, soak: 60) {
            let transaction = EngineTransaction(base: notes.root)
            try notes.change(transaction, count: 300)
            notes.root = try notes.commit(transaction)
            let loaded = try TestCheckpoint(notes.root, to: file).load(from: file)
            expectEqual(loaded.stateHash(), notes.root.stateHash())
            expectEqual(loaded.schema.tables, notes.root.schema.tables)
            notes.root = loaded
            try notes.check()
            expectNil(loaded.damage)
        }
    }

    // Covers 10.3, 10.7
    @Test func indexesOfStoredRowsAreBuiltWhenTheyAreAdded() throws {
        var notes = try FullTextNotes(SeededRandom("FullTextIndexTests.stored"), isIndexed: false)
        let rows = EngineTransaction(base: notes.root)
        try notes.change(rows, count: 600)
        notes.root = try notes.commit(rows)
        let growth = EngineTransaction(base: notes.root)
        try notes.change(growth)  // the record adds the index before these changes
        try growth.addFullTextIndex(FullTextNotes.table, FullTextNotes.text)
        #expect(throws: StoreError.self) {
            try growth.addFullTextIndex(FullTextNotes.table, FullTextNotes.text)
        }
        try notes.change(growth)
        notes.root = try notes.commit(growth)
        try notes.check()
        // A column whose rows all have the default, until they are changed.
        let added = EngineTransaction(base: notes.root)
        let column = try added.addColumn(
            FullTextNotes.table,
            ColumnDefinition(
                name: "title", type: .string, isFullTextIndexed: true,
                defaultValue: .string("Swift émigré")))
        let first = notes.words.keys.sorted()[0]
        try added.set(
            FullTextNotes.table, ObjectKey(rawValue: first), column, .string("Swift only"))
        notes.root = try notes.commit(added)
        try notes.root.checkIntegrity { false }
        var title = ColumnReference(
            name: "title", type: .string, missing: .string("Swift émigré"))
        title.isFullTextIndexed = true
        for (search, count) in [
            ("swift", notes.words.count), ("emigre", notes.words.count - 1), ("only", 1),
            ("-only", notes.words.count - 1),
        ] {
            let plan = QueryPlan(
                tableName: "Note", predicate: .matchWords(title, StoredText(search)))
            try expectEqual(plan.evaluate(notes.root).count, count, "\(search)")
        }
    }

    // Covers 10.7
    @Test func otherProcessesFollowFullTextIndexes() async throws {
        let disk = SimFileSystem(seed: SeededRandom("FullTextIndexTests.processes").seed)
        let peers = [
            try await openPeer("/sim", disk), try await openPeer("/sim", SimView(disk)),
        ]
        var notes = try FullTextNotes(SeededRandom("FullTextIndexTests.otherProcesses"))
        for round in 0..<12 {
            // Takes turns, so that each process applies the commits of the other.
            let peer = peers[round % 2]
            let turn = try await peer.beginWrite()
            let transaction = EngineTransaction(base: turn.base)
            if round == 0 {
                try FullTextNotes.addTable(transaction, isIndexed: true)
            } else {
                notes.root = turn.base
                try notes.check()
                try notes.change(transaction)
            }
            let commit = try transaction.commit(timestampMicroseconds: 0)
            _ = try await peer.commit(turn, commit, durability: .full)
        }
        notes.root = .makeEmpty()
        for peer in peers { await peer.close() }
        let reader = try await openPeer("/sim", SimView(disk))
        notes.root = reader.published
        try notes.check()
        notes.root = .makeEmpty()
        await reader.close()
    }

    /// A search reports a damaged leaf that it meets, and otherwise finds what was stored.
    // Covers 10.7
    @Test func searchesReportDamagedLeaves() throws {
        let column = ColumnDefinition(name: "text", type: .string, isFullTextIndexed: true)
        var content = ScanContent("Note", [column])
        content.insert(
            (0..<2_000).map { number in
                let other = number % 7 == 0 ? "seventh" : "other"
                return [.string("common w\(number % 300) \(other)")]
            })
        let file = MemoryNodesFile()
        let checkpoint = try TestCheckpoint(content.root, to: file)
        let plans = ["w17", "seventh w7", "common -seventh w3", "sev*", "-other"].map { search in
            QueryPlan(
                tableName: "Note",
                predicate: .matchWords(FullTextNotes.reference, StoredText(search)))
        }
        let expected = try plans.map { Array(try $0.evaluate(content.root)) }
        expectEqual(expected.map(\.isEmpty), [false, false, false, false, false])
        var damageCount = 0
        for offset in stride(from: 4_100, to: checkpoint.directory.lowerBound, by: 500) {
            file[offset] ^= 1
            let root = try checkpoint.load(from: file)
            for (plan, rows) in zip(plans, expected) {
                let (found, damage) = DamageWatch.run {
                    Result { () throws(StoreError) in Array(try plan.evaluate(root)) }
                }
                let keys = try found.get()
                if damage == nil { expectEqual(keys, rows) } else { damageCount += 1 }
            }
            file[offset] ^= 1
        }
        expectTrue(damageCount > 10)
    }

    // Covers 10.8
    @Test func onlyTheRowsOfTheRarestWordAreRead() throws {
        let transaction = EngineTransaction(base: .empty)
        try FullTextNotes.addTable(transaction, isIndexed: true)
        for number in 0..<1_000 {
            let rare = number % 100 == 0 ? " rarely" : ""
            let long = number % 50 == 0 ? " internationalization" : ""
            _ = try transaction.insert(
                FullTextNotes.table,
                [.string("common\(number % 2 == 0 ? " even" : "")\(rare)\(long)"), .int(0)])
        }
        let root = try commitAndReplay(transaction).root
        for (search, count, entries) in [
            ("rarely", 10, 10), ("common rarely", 10, 10), ("even rarely -absent", 10, 10),
            ("rarely -even", 0, 10), ("rarely -common", 0, 10), ("absent common", 0, 0),
            ("even", 500, 500), ("common", 1_000, 1_000), ("rare*", 10, 10), ("e*", 500, 500),
            ("internationalization", 20, 20), ("internationalisation", 0, 40),
            ("common internati*", 20, 20), ("rarely internationalization", 10, 10),
        ] {
            let plan = QueryPlan(
                tableName: "Note",
                predicate: .matchWords(FullTextNotes.reference, StoredText(search)))
            var statistics = QueryStatistics()
            let found = try plan.evaluate(root, statistics: &statistics)
            expectEqual(found.count, count, "\(search)")
            expectTrue(statistics.usedIndex, "\(search)")
            expectEqual(statistics.indexEntriesRead <= entries, true, "\(search)")
            try expectEqual(plan.count(root), count, "\(search)")
        }
    }

    // Covers 10.7, .invalidInput
    @Test func onlyStringsHaveFullTextIndexes() throws {
        let transaction = EngineTransaction(base: .empty)
        for type in [ValueType.int, .data, .any, .uuid] {
            let error = #expect(throws: StoreError.self) {
                _ = try transaction.addTable(
                    name: "Wrong",
                    columns: [
                        ColumnDefinition(
                            name: "c", type: type, isOptional: true, isIndexed: type == .any,
                            isFullTextIndexed: true)
                    ])
            }
            expectEqual(error?.code, .invalidInput)
            expectEqual(error?.property, "c")
        }
        let table = try transaction.addTable(
            name: "Right",
            columns: [
                ColumnDefinition(
                    name: "key", type: .string, isPrimaryKey: true, isFullTextIndexed: true),
                ColumnDefinition(
                    name: "both", type: .string, isOptional: true, isIndexed: true,
                    isFullTextIndexed: true),
                ColumnDefinition(name: "number", type: .int),
            ])
        _ = try transaction.insert(table, [.string("a b"), .null, .int(1)])
        _ = try transaction.insert(table, [.string("b c"), .string("c"), .int(1)])
        #expect(throws: StoreError.self) {
            try transaction.addFullTextIndex(table, ColumnKey(rawValue: 2))
        }
        #expect(throws: StoreError.self) {
            try transaction.addFullTextIndex(table, ColumnKey(rawValue: 3))
        }
        try commitAndReplay(transaction).root.checkIntegrity { false }
    }

    // Covers 10.8, .invalidQuery
    @Test func columnsWithoutADeclaredIndexAreNotSearched() throws {
        let notes = try FullTextNotes(SeededRandom(1))
        var reference = FullTextNotes.reference
        reference.isFullTextIndexed = false
        let plan = QueryPlan(tableName: "Note", predicate: .matchWords(reference, "swift"))
        let error = #expect(throws: StoreError.self) { try plan.evaluate(notes.root) }
        expectEqual(error?.code, .invalidQuery)
        expectEqual(error?.property, "text")
        expectTrue(error?.message.contains("no full-text index") ?? false)
    }
}

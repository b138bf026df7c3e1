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
            var notes = try Notes(SeededRandom("FullTextIndexTests.randomChanges"))
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
        var notes = try Notes(SeededRandom("FullTextIndexTests.checkpoints"))
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
        var notes = try Notes(SeededRandom("FullTextIndexTests.stored"), isIndexed: false)
        let rows = EngineTransaction(base: notes.root)
        try notes.change(rows, count: 600)
        notes.root = try notes.commit(rows)
        let growth = EngineTransaction(base: notes.root)
        try notes.change(growth)  // the record adds the index before these changes
        try growth.addFullTextIndex(Notes.table, Notes.text)
        #expect(throws: StoreError.self) {
            try growth.addFullTextIndex(Notes.table, Notes.text)
        }
        try notes.change(growth)
        notes.root = try notes.commit(growth)
        try notes.check()
        // A column whose rows all have the default, until they are changed.
        let added = EngineTransaction(base: notes.root)
        let column = try added.addColumn(
            Notes.table,
            ColumnDefinition(
                name: "title", type: .string, isFullTextIndexed: true,
                defaultValue: .string("Swift émigré")))
        let first = notes.words.keys.sorted()[0]
        try added.set(
            Notes.table, ObjectKey(rawValue: first), column, .string("Swift only"))
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
        var notes = try Notes(SeededRandom("FullTextIndexTests.otherProcesses"))
        for round in 0..<12 {
            // Takes turns, so that each process applies the commits of the other.
            let peer = peers[round % 2]
            let turn = try await peer.beginWrite()
            let transaction = EngineTransaction(base: turn.base)
            if round == 0 {
                try Notes.addTable(transaction, isIndexed: true)
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

    // Covers 10.8
    @Test func onlyTheRowsOfTheRarestWordAreRead() throws {
        let transaction = EngineTransaction(base: .empty)
        try Notes.addTable(transaction, isIndexed: true)
        for number in 0..<1_000 {
            let rare = number % 100 == 0 ? " rarely" : ""
            let long = number % 50 == 0 ? " internationalization" : ""
            _ = try transaction.insert(
                Notes.table,
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
                tableName: "Note", predicate: .matchWords(Notes.reference, StoredText(search)))
            var statistics = QueryStatistics()
            let found = try plan.evaluate(root, statistics: &statistics)
            expectEqual(found.count, count, "\(search)")
            expectTrue(statistics.usedIndex, "\(search)")
            expectEqual(statistics.indexEntriesRead - entries <= count, true, "\(search)")
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
        let notes = try Notes(SeededRandom(1))
        var reference = Notes.reference
        reference.isFullTextIndexed = false
        let plan = QueryPlan(tableName: "Note", predicate: .matchWords(reference, "swift"))
        let error = #expect(throws: StoreError.self) { try plan.evaluate(notes.root) }
        expectEqual(error?.code, .invalidQuery)
        expectEqual(error?.property, "text")
        expectTrue(error?.sentence.contains("no full-text index") ?? false)
    }
}

/// Rows with random texts, and what they are.
private struct Notes {
    static let table = TableKey(rawValue: 0)
    static let text = ColumnKey(rawValue: 0)
    static let reference: ColumnReference = {
        var reference = ColumnReference(name: "text", type: .string, missing: .null)
        reference.isFullTextIndexed = true
        return reference
    }()

    var root = DatabaseRoot.makeEmpty()
    /// The words of each row.
    private(set) var words: [UInt64: Set<String>] = [:]
    private var random: SeededRandom

    init(_ random: SeededRandom, isIndexed: Bool = true) throws {
        self.random = random
        let transaction = EngineTransaction(base: root)
        try Notes.addTable(transaction, isIndexed: isIndexed)
        root = try transaction.commit(timestampMicroseconds: 0).root
    }

    static func addTable(_ transaction: EngineTransaction, isIndexed: Bool) throws {
        _ = try transaction.addTable(
            name: "Note",
            columns: [
                ColumnDefinition(
                    name: "text", type: .string, isOptional: true, isFullTextIndexed: isIndexed),
                ColumnDefinition(name: "number", type: .int, isIndexed: true),
            ])
    }

    private mutating func newText() -> String? {
        random.oneIn(8) ? nil : NaiveWords.text(&random)
    }

    /// Makes random changes, some of which are rolled back to a savepoint.
    mutating func change(_ transaction: EngineTransaction, count: Int = 40) throws {
        // A commit without changes isn't one.
        let first = try transaction.insert(Notes.table, [.string("first"), .int(1)])
        words[first.rawValue] = ["first"]
        for _ in 0..<random.below(count) {
            guard random.oneIn(6) else {
                try changeRow(transaction)
                continue
            }
            let savepoint = transaction.savepoint()
            let before = words
            for _ in 0..<random.below(6) { try changeRow(transaction) }
            if random.oneIn(2) {
                transaction.rollback(to: savepoint)
                words = before
            }
            let (search, plan) = nextSearch()
            try expectEqual(
                plan.evaluate(transaction).map(\.rawValue), rows(search), "\(search.text)")
        }
    }

    private mutating func changeRow(_ transaction: EngineTransaction) throws {
        let row = words.isEmpty ? nil : words.keys.sorted()[random.below(words.count)]
        let text = newText()
        let found = NaiveWords.words(text ?? "")
        let value = text.map { Value.string($0) } ?? .null
        switch random.below(8) {
        case 0:
            let insertion = transaction.insertion(Notes.table)
            insertion.begin()
            if let text { insertion.put(text, 0) } else { insertion.put(Value.null, 0) }
            insertion.put(Int64(1), 1)
            words[try insertion.end().rawValue] = found
        case 1...3:
            let key = try transaction.insert(Notes.table, [value, .int(2)])
            words[key.rawValue] = found
        case 4, 5:
            guard let row else { return }
            try transaction.set(Notes.table, ObjectKey(rawValue: row), Notes.text, value)
            words[row] = found
        case 6:
            guard let row else { return }
            try transaction.set(
                Notes.table, ObjectKey(rawValue: row), ColumnKey(rawValue: 1), .int(3))
        default:
            guard let row else { return }
            transaction.delete(Notes.table, ObjectKey(rawValue: row))
            words[row] = nil
        }
    }

    /// Commits as one record, which another tree applies, or in bulk.
    mutating func commit(_ transaction: EngineTransaction) throws -> DatabaseRoot {
        if random.oneIn(5) {
            return try transaction.commit(timestampMicroseconds: 0, bodyByteCountMax: 0).root
        }
        return try commitAndReplay(transaction).root
    }

    /// Compares the integrity and searches at the committed root.
    mutating func check() throws {
        try root.checkIntegrity { false }
        for _ in 0..<4 {
            let (search, plan) = nextSearch()
            let rows = rows(search)
            try expectEqual(plan.evaluate(root).map(\.rawValue), rows, "\(search.text)")
            try expectEqual(plan.count(root), rows.count, "\(search.text)")
        }
    }

    private mutating func nextSearch() -> (NaiveSearch, QueryPlan) {
        let search = NaiveSearch(&random)
        let predicate = Predicate.matchWords(Notes.reference, StoredText(search.text))
        return (search, QueryPlan(tableName: "Note", predicate: predicate))
    }

    private func rows(_ search: NaiveSearch) -> [UInt64] {
        words.filter { search.matches(words: $0.value) }.map(\.key).sorted()
    }
}

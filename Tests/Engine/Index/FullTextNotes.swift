import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Rows with random texts in the tests of full-text indexes, and the words of these.
struct FullTextNotes {
    static let table = TableKey(rawValue: 0)
    static let text = ColumnKey(rawValue: 0)
    static let reference: ColumnReference = {
        var reference = ColumnReference(name: "text", type: .string, missing: .null)
        reference.isFullTextIndexed = true
        return reference
    }()

    var root = DatabaseRoot.makeEmpty()
    /// The words of each row.
    private(set) var words: [UInt64: NaiveText] = [:]
    private var random: SeededRandom

    init(_ random: SeededRandom, isIndexed: Bool = true) throws {
        self.random = random
        let transaction = EngineTransaction(base: root)
        try FullTextNotes.addTable(transaction, isIndexed: isIndexed)
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
        let first = try transaction.insert(FullTextNotes.table, [.string("first"), .int(1)])
        words[first.rawValue] = NaiveText("first")
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
        let found = NaiveText(text)
        let value = text.map { Value.string($0) } ?? .null
        switch random.below(8) {
        case 0:
            let insertion = transaction.insertion(FullTextNotes.table)
            insertion.begin()
            if let text { insertion.put(text, 0) } else { insertion.put(Value.null, 0) }
            insertion.put(Int64(1), 1)
            words[try insertion.end().rawValue] = found
        case 1...3:
            let key = try transaction.insert(FullTextNotes.table, [value, .int(2)])
            words[key.rawValue] = found
        case 4, 5:
            guard let row else { return }
            try transaction.set(
                FullTextNotes.table, ObjectKey(rawValue: row), FullTextNotes.text, value)
            words[row] = found
        case 6:
            guard let row else { return }
            try transaction.set(
                FullTextNotes.table, ObjectKey(rawValue: row), ColumnKey(rawValue: 1), .int(3))
        default:
            guard let row else { return }
            transaction.delete(FullTextNotes.table, ObjectKey(rawValue: row))
            words[row] = nil
        }
    }

    /// Commits as one record, which another tree applies, or in bulk.
    mutating func commit(_ transaction: EngineTransaction) throws -> DatabaseRoot {
        if random.oneIn(5) {
            return try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0).root
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
        let predicate = Predicate.matchWords(FullTextNotes.reference, StoredText(search.text))
        return (search, QueryPlan(tableName: "Note", predicate: predicate))
    }

    private func rows(_ search: NaiveSearch) -> [UInt64] {
        words.filter { search.matches($0.value) }.map(\.key).sorted()
    }
}

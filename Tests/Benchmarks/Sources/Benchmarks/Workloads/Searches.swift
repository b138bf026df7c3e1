import BenchmarkKit
import Foundation
import GRDBSQLite
import Regnum

/// A note, stored with a full-text index.
final class SearchedNote: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(fullTextIndexed: true) var text: String
}

/// Counts the notes that contain two words, with a full-text index, compared with SQLite's FTS5.
struct Searches: Workload {
    private static let searchCount = 200
    private static let wordCount = 20_000
    private static let wordsPerNote = 8
    /// The number of notes that a transaction stores.
    private static let batch = 50_000

    let name = "7t"
    var notes: [String] {
        [
            "notes of 8 words from 20,000, word k with a probability of about 1 / (k ln 20,000);",
            "the median time to count the notes with both of two words of a random note, and",
            "the slowest of the 200 searches (7t-max). SQLite uses FTS5.",
        ]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        let pairs = Self.pairs(setting.objectCount)
        var contenders: [Contender] = []
        if setting.engines.contains(.regnum) {
            let realm = try await Self.realm(setting)
            contenders.append(
                Contender(.regnum) {
                    let snapshot = realm.snapshot()
                    return try await measure(.regnum, pairs, setting) { first, second in
                        snapshot.objects(SearchedNote.self)
                            .where { $0.text.matchesText("\(first) \(second)") }.count
                    }
                })
        }
        if setting.engines.contains(.sqlite) {
            let store = try Self.database(setting)
            contenders.append(
                Contender(.sqlite) {
                    try await measure(.sqlite, pairs, setting) { first, second in
                        try store.count("\(first) AND \(second)")
                    }
                })
        }
        return contenders
    }

    @concurrent
    private func measure(
        _ engine: Engine, _ pairs: [(String, String)], _ setting: Setting,
        _ search: (String, String) throws -> Int
    ) async throws -> [Sample] {
        var times: [Double] = []
        var sum = 0
        for (first, second) in pairs {
            let start = monotonicNanoseconds()
            let count = try search(first, second)
            times.append(milliseconds(since: start))
            guard count > 0 else { throw Failure("7t: \(first) \(second): nothing was found.") }
            sum += count
        }
        try setting.agreement.check(name, sum, by: engine)
        return [
            Sample(name, Statistics.median(times), .milliseconds),
            Sample("\(name)-max", times.max() ?? 0, .milliseconds),
        ]
    }

    // MARK: The notes

    /// Returns the words of a note.
    private static func words(_ id: Int) -> [String] {
        var generator = SeededGenerator(seed: People.seed &+ UInt64(id) &* 0xD134_2543_DE82_EF95)
        return (0..<wordsPerNote).map { _ in
            // the inverse of the distribution function ln k / ln n
            let rank = exp(Double.random(in: 0..<1, using: &generator) * log(Double(wordCount)))
            return word(Int(rank))
        }
    }

    /// Returns word number `rank`: letters in an order that doesn't show the rank.
    private static func word(_ rank: Int) -> String {
        var generator = SeededGenerator(seed: UInt64(rank))
        var bits = generator.next()
        var letters = "w\(rank)"
        for _ in 0..<4 {
            letters.unicodeScalars.insert(
                Unicode.Scalar(UInt8(ascii: "a") + UInt8(bits % 26)),
                at: letters.unicodeScalars.startIndex)
            bits /= 26
        }
        return letters
    }

    private static func pairs(_ noteCount: Int) -> [(String, String)] {
        People.randomIDs(searchCount, below: noteCount, 11).map { id in
            let words = words(id)
            return (words[0], words.first { $0 != words[0] } ?? words[0])
        }
    }

    private static func realm(_ setting: Setting) async throws -> Realm {
        var configuration = Realm.Configuration(
            location: .file(setting.directory.appending(path: "notes.realm")),
            objectTypes: [SearchedNote.self])
        configuration.durability = .relaxed(within: .seconds(1))
        let realm = try await Realm.open(configuration)
        for start in stride(from: 0, to: setting.objectCount, by: batch) {
            let part = start..<min(start + batch, setting.objectCount)
            try await realm.write { tx in
                for id in part {
                    let note = SearchedNote()
                    note.id = id
                    note.text = words(id).joined(separator: " ")
                    try tx.add(note)
                }
            }
        }
        return realm
    }

    private static func database(_ setting: Setting) throws -> SQLiteStore {
        let store = try SQLiteStore(setting.directory, .off)
        try store.executeOnce("CREATE VIRTUAL TABLE note USING fts5(text)")
        let insertion = try store.prepared("INSERT INTO note (rowid, text) VALUES (?, ?)")
        try store.transaction {
            for id in 0..<setting.objectCount {
                sqlite3_bind_int64(insertion, 1, Int64(id))
                store.bind(words(id).joined(separator: " "), to: insertion, 2)
                try store.run(insertion)
            }
        }
        try store.executeOnce("INSERT INTO note (note) VALUES ('optimize')")
        return store
    }
}

extension SQLiteStore {
    /// Returns the number of notes that match an expression of FTS5.
    fileprivate func count(_ expression: String) throws -> Int {
        let search = try prepared("SELECT count(*) FROM note WHERE note MATCH ?")
        bind(expression, to: search, 1)
        defer { sqlite3_reset(search) }
        try check(sqlite3_step(search), expected: SQLITE_ROW)
        return Int(sqlite3_column_int64(search, 0))
    }
}

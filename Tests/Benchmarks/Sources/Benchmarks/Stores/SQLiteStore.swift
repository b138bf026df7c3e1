import Foundation
import GRDBSQLite

/// How often SQLite syncs in WAL mode.
enum Synchronous: String, Sendable {
    /// At each commit.
    case full = "FULL"
    /// Never.
    case off = "OFF"
}

/// A SQLite database with people, used by its C interface with one prepared statement.
///
/// Guard of the `@unchecked Sendable`: a round uses the store on one thread, and the rounds follow
/// each other.
final class SQLiteStore: @unchecked Sendable {
    let ids: PersonIDs
    private var database: OpaquePointer?
    private var insertion: OpaquePointer?

    static let createTable = """
        CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER NOT NULL,
            score REAL NOT NULL, city TEXT NOT NULL, note TEXT NOT NULL)
        """
    static let insert =
        "INSERT INTO person (id, name, age, score, city, note) VALUES (?, ?, ?, ?, ?, ?)"

    init(in setting: Setting, _ synchronous: Synchronous) throws {
        ids = PersonIDs(from: setting.objectCount)
        let path = setting.directory.appending(path: "sqlite.db").path
        try check(sqlite3_open(path, &database))
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = \(synchronous.rawValue)")
        try execute(Self.createTable)
        try check(sqlite3_prepare_v2(database, Self.insert, -1, &insertion, nil))
        try execute("BEGIN")
        for id in 0..<setting.objectCount { try commit(People.person(id)) }
        try execute("COMMIT")
    }

    deinit {
        sqlite3_finalize(insertion)
        sqlite3_close(database)
    }

    /// Inserts a person; outside a transaction that is one by itself.
    func commit(_ person: PersonValues) throws {
        sqlite3_bind_int64(insertion, 1, Int64(person.id))
        bind(person.name, 2)
        sqlite3_bind_int64(insertion, 3, Int64(person.age))
        sqlite3_bind_double(insertion, 4, person.score)
        bind(person.city, 5)
        bind(person.note, 6)
        let code = sqlite3_step(insertion)
        sqlite3_reset(insertion)
        try check(code, expected: SQLITE_DONE)
    }

    private func bind(_ text: String, _ column: Int32) {
        // the destructor -1 has SQLite copy the text
        let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        sqlite3_bind_text(insertion, column, text, Int32(text.utf8.count), copying)
    }

    private func execute(_ sql: String) throws {
        try check(sqlite3_exec(database, sql, nil, nil, nil))
    }

    private func check(_ code: Int32, expected: Int32 = SQLITE_OK) throws {
        guard code != expected else { return }
        throw Failure("SQLite: \(String(cString: sqlite3_errmsg(database)))")
    }
}

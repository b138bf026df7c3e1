import Foundation
import GRDBSQLite

/// The frequency of SQLite's syncs in WAL mode.
enum Synchronous: String, Sendable {
    /// At each commit.
    case full = "FULL"
    /// Never.
    case off = "OFF"
}

/// A SQLite database with people, used through its C interface with cached prepared statements.
///
/// Guard of the `@unchecked Sendable`: a round makes one call of the store at a time, and the
/// rounds follow each other.
final class SQLiteStore: @unchecked Sendable {
    let ids: PersonIDs
    private var database: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]
    private let insertion: OpaquePointer

    static let createTable = """
        CREATE TABLE IF NOT EXISTS person (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
            age INTEGER NOT NULL, score REAL NOT NULL, city TEXT NOT NULL, note TEXT NOT NULL)
        """
    static let insert =
        "INSERT INTO person (id, name, age, score, city, note) VALUES (?, ?, ?, ?, ?, ?)"

    /// Opens the filled store for workloads on single commits.
    convenience init(in setting: Setting, _ synchronous: Synchronous) throws {
        try self.init(setting.directory, synchronous, ids: PersonIDs(from: setting.storedCount))
        try insert(0..<setting.storedCount, People.person)
    }

    init(
        _ directory: URL, _ synchronous: Synchronous, ids: PersonIDs = PersonIDs(from: 0)
    ) throws {
        self.ids = ids
        var database: OpaquePointer?
        let code = sqlite3_open(directory.appending(path: "sqlite.db").path, &database)
        self.database = database
        guard code == SQLITE_OK else { throw Failure("SQLite could not open its file.") }
        for sql in [
            "PRAGMA journal_mode = WAL", "PRAGMA synchronous = \(synchronous.rawValue)",
            Self.createTable,
        ] {
            guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
                throw Failure("SQLite: \(sql) failed.")
            }
        }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, Self.insert, -1, &statement, nil) == SQLITE_OK,
            let statement
        else { throw Failure("SQLite could not prepare the insertion.") }
        insertion = statement
    }

    deinit { close() }

    /// Inserts a person; outside of a transaction this is one by itself.
    func commit(_ person: PersonValues) throws {
        sqlite3_bind_int64(insertion, 1, Int64(person.id))
        bind(person.name, to: insertion, 2)
        sqlite3_bind_int64(insertion, 3, Int64(person.age))
        sqlite3_bind_double(insertion, 4, person.score)
        bind(person.city, to: insertion, 5)
        bind(person.note, to: insertion, 6)
        try run(insertion)
    }

    /// Returns the prepared statement for a text, created on the first call.
    func prepared(_ sql: String) throws -> OpaquePointer {
        if let known = statements[sql] { return known }
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
        guard let statement else { throw Failure("SQLite: no statement in '\(sql)'.") }
        statements[sql] = statement
        return statement
    }

    /// Runs a statement without result rows.
    func run(_ statement: OpaquePointer) throws {
        let code = sqlite3_step(statement)
        sqlite3_reset(statement)
        try check(code, expected: SQLITE_DONE)
    }

    func transaction(_ body: () throws -> Void) throws {
        try execute("BEGIN")
        try body()
        try execute("COMMIT")
    }

    func execute(_ sql: String) throws { try run(try prepared(sql)) }

    /// Runs statements that can't be prepared ahead: schema changes.
    func executeOnce(_ sql: String) throws {
        try check(sqlite3_exec(database, sql, nil, nil, nil))
    }

    func check(_ code: Int32, expected: Int32 = SQLITE_OK) throws {
        guard code != expected else { return }
        throw Failure("SQLite: \(String(cString: sqlite3_errmsg(database)))")
    }

    func close() {
        guard let database else { return }
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        sqlite3_finalize(insertion)
        sqlite3_close(database)
        self.database = nil
    }

    func bind(_ text: String, to statement: OpaquePointer, _ column: Int32) {
        // The destructor -1 makes SQLite copy the text.
        let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        sqlite3_bind_text(statement, column, text, Int32(text.utf8.count), copying)
    }
}

import Foundation
import GRDB

/// A GRDB pool with people, used with cached statements.
struct GRDBStore: Sendable {
    let ids: PersonIDs
    let pool: DatabasePool

    /// Opens the filled store for workloads on single commits.
    init(in setting: Setting, _ synchronous: Synchronous) throws {
        try self.init(setting.directory, synchronous, ids: PersonIDs(from: setting.storedCount))
        try insert(0..<setting.storedCount, People.person)
    }

    init(
        _ directory: URL, _ synchronous: Synchronous, ids: PersonIDs = PersonIDs(from: 0)
    ) throws {
        self.ids = ids
        pool = try DatabasePool(path: directory.appending(path: "grdb.db").path)
        try pool.writeWithoutTransaction { db in
            // The pool set NORMAL when it was opened.
            try db.execute(sql: "PRAGMA synchronous = \(synchronous.rawValue)")
            try db.execute(sql: SQLiteStore.createTable)
        }
    }

    /// Commits a person, on the calling thread.
    func commit(_ person: PersonValues) throws {
        try pool.write { db in try Self.insert(person, db) }
    }

    /// Commits people one by one, like a task of a program.
    @concurrent
    func commit(_ people: [PersonValues]) async throws {
        for person in people {
            try await pool.write { db in try Self.insert(person, db) }
            opaqueCall()
        }
    }

    static func insert(_ person: PersonValues, _ db: Database) throws {
        try insert(person, try db.cachedStatement(sql: SQLiteStore.insert))
    }

    static func insert(_ person: PersonValues, _ statement: Statement) throws {
        try statement.execute(arguments: [
            person.id, person.name, person.age, person.score, person.city, person.note,
        ])
    }
}

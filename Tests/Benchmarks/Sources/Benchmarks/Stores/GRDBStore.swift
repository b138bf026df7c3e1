import Foundation
import GRDB

/// A GRDB pool with people, used with cached statements.
struct GRDBStore: Sendable {
    let ids: PersonIDs
    private let pool: DatabasePool

    init(in setting: Setting, _ synchronous: Synchronous) throws {
        ids = PersonIDs(from: setting.objectCount)
        pool = try DatabasePool(path: setting.directory.appending(path: "grdb.db").path)
        try pool.writeWithoutTransaction { db in
            // the pool has set NORMAL when it was opened
            try db.execute(sql: "PRAGMA synchronous = \(synchronous.rawValue)")
        }
        try pool.write { db in
            try db.execute(sql: SQLiteStore.createTable)
            for id in 0..<setting.objectCount { try Self.insert(People.person(id), db) }
        }
    }

    /// Commits a person, on the calling thread.
    func commit(_ person: PersonValues) throws {
        try pool.write { db in try Self.insert(person, db) }
    }

    /// Commits people one by one, as a task does.
    @concurrent
    func commit(_ people: [PersonValues]) async throws {
        for person in people {
            try await pool.write { db in try Self.insert(person, db) }
            opaqueCall()
        }
    }

    private static func insert(_ person: PersonValues, _ db: Database) throws {
        let statement = try db.cachedStatement(sql: SQLiteStore.insert)
        try statement.execute(arguments: [
            person.id, person.name, person.age, person.score, person.city, person.note,
        ])
    }
}

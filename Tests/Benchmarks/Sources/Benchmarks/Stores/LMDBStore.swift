internal import CLMDB
import Foundation

/// An LMDB environment with people: packed rows by id, and an index on the age where it was built.
/// A floor rather than a peer: there is no query engine, so each query is a handwritten loop.
///
/// Guard of the `@unchecked Sendable`: a round makes one call of the store at a time, and the
/// rounds follow each other; a transaction begins and ends in one call, and therefore on one
/// thread.
final class LMDBStore: @unchecked Sendable {
    private static let mapByteCount = 16 << 30
    let ids: PersonIDs
    let people: UInt32
    private var environment: UnsafeMutableRawPointer?

    /// Opens the filled store for workloads on single commits.
    convenience init(in setting: Setting, isSynced: Bool) throws {
        try self.init(
            setting.directory, isSynced: isSynced, ids: PersonIDs(from: setting.storedCount))
        try insert(0..<setting.storedCount, People.person)
    }

    init(_ directory: URL, isSynced: Bool, ids: PersonIDs = PersonIDs(from: 0)) throws {
        guard LMDBLibrary.isInstalled else { throw Failure("lmdb not installed") }
        self.ids = ids
        var environment: UnsafeMutableRawPointer?
        try LMDBLibrary.check(clmdb_env_create(&environment))
        try LMDBLibrary.check(clmdb_env_set_mapsize(environment, Self.mapByteCount))
        try LMDBLibrary.check(clmdb_env_set_maxdbs(environment, 4))
        var flags = UInt32(CLMDB_NOSUBDIR)
        if !isSynced { flags |= UInt32(CLMDB_NOSYNC) }
        let path = directory.appending(path: "lmdb.db").path
        try LMDBLibrary.check(clmdb_env_open(environment, path, flags, 0o600))
        self.environment = environment

        var transaction: UnsafeMutableRawPointer?
        try LMDBLibrary.check(clmdb_txn_begin(environment, nil, 0, &transaction))
        var people: UInt32 = 0
        let code = clmdb_dbi_open(
            transaction, "people",
            UInt32(CLMDB_CREATE) | UInt32(CLMDB_INTEGERKEY), &people)
        try LMDBLibrary.check(code)
        try LMDBLibrary.check(clmdb_txn_commit(transaction))
        self.people = people
    }

    deinit { close() }

    func close() {
        guard let environment else { return }
        clmdb_env_close(environment)
        self.environment = nil
    }

    /// Inserts a person, in a transaction of its own.
    func commit(_ person: PersonValues) throws {
        try write { transaction in try put(person, transaction, appending: false) }
    }

    /// Runs `body` in a read-only transaction.
    func read<R>(_ body: (UnsafeMutableRawPointer?) throws -> R) throws -> R {
        var transaction: UnsafeMutableRawPointer?
        let flags = UInt32(CLMDB_RDONLY)
        try LMDBLibrary.check(clmdb_txn_begin(environment, nil, flags, &transaction))
        defer { clmdb_txn_abort(transaction) }
        return try body(transaction)
    }

    /// Runs `body` in a transaction, and commits it.
    func write<R>(_ body: (UnsafeMutableRawPointer?) throws -> R) throws -> R {
        var transaction: UnsafeMutableRawPointer?
        try LMDBLibrary.check(clmdb_txn_begin(environment, nil, 0, &transaction))
        let result: R
        do {
            result = try body(transaction)
        } catch {
            clmdb_txn_abort(transaction)
            throw error
        }
        try LMDBLibrary.check(clmdb_txn_commit(transaction))
        return result
    }

    func put(
        _ person: PersonValues, _ transaction: UnsafeMutableRawPointer?, appending: Bool
    ) throws {
        var id = person.id
        var flags = UInt32(CLMDB_RESERVE)
        if appending { flags |= UInt32(CLMDB_APPEND) }
        try withUnsafeMutableBytes(of: &id) { bytes in
            var key = clmdb_val(size: bytes.count, data: bytes.baseAddress)
            var value = clmdb_val(size: PackedPerson.byteCount(person), data: nil)
            try LMDBLibrary.check(clmdb_put(transaction, people, &key, &value, flags))
            guard let target = value.data else { throw Failure("LMDB reserved nothing.") }
            PackedPerson.write(person, to: target)
        }
    }

    /// Returns the row of a person.
    func get(_ id: Int, _ transaction: UnsafeMutableRawPointer?) throws -> clmdb_val {
        var id = id
        return try withUnsafeMutableBytes(of: &id) { bytes in
            var key = clmdb_val(size: bytes.count, data: bytes.baseAddress)
            var value = clmdb_val()
            try LMDBLibrary.check(clmdb_get(transaction, people, &key, &value))
            return value
        }
    }

    /// Calls `body` with each id and row, in order of the ids.
    @inline(__always)
    func forEachPerson(_ body: (Int, PackedPerson) -> Void) throws {
        try read { transaction in
            var cursor: UnsafeMutableRawPointer?
            try LMDBLibrary.check(clmdb_cursor_open(transaction, people, &cursor))
            defer { clmdb_cursor_close(cursor) }
            var key = clmdb_val()
            var value = clmdb_val()
            while true {
                let code = clmdb_cursor_get(cursor, &key, &value, Int32(CLMDB_NEXT))
                if code == CLMDB_NOTFOUND { return }
                try LMDBLibrary.check(code)
                body(key.data.loadUnaligned(as: Int.self), PackedPerson(bytes: value.data))
            }
        }
    }
}

import BenchmarkKit
import Foundation

/// A store of people for workloads on many objects: one type per engine, through the interface that
/// a program would use.
///
/// A method's result is computed from everything that it read, so that the engines can be compared.
protocol PeopleStore: Sendable {
    /// Stores new people in one transaction. `person` returns the values for an id.
    func insert(
        _ ids: Range<Int>, _ person: @escaping @Sendable (Int) -> PersonValues) async throws
    /// Looks people up by primary key, and reads the age and score of each.
    func read(_ ids: [Int]) async throws -> Int
    /// Returns how many people meet a condition.
    func count(_ condition: Condition) async throws -> Int
    func sumOfAges() async throws -> Int
    func maximumOfScores() async throws -> Double
    /// Reads the ids in order of the scores, all or the first ones.
    func sortByScore(first limit: Int?) async throws -> Int

    func buildAgeIndex() async throws
    func dropAgeIndex() async throws
    /// Counts, using the index, how many people have each of the ages.
    func countByAge(_ ages: [Int]) async throws -> Int
    /// Finds, using the index, the people of each of the ages with their ids: reads the first, the
    /// middle and the last one.
    func findByAge(_ ages: [Int]) async throws -> Int

    /// Changes the age of people, `perTransaction` at a time.
    func update(_ changes: [AgeChange], perTransaction: Int) async throws
    /// Deletes people in one transaction.
    func delete(_ ids: [Int]) async throws
    /// Returns a sum over the ids and ages of all people; not timed.
    func contentSum() async throws -> Int

    /// Closes the files.
    func close() async throws
}

/// The conditions of the counts.
enum Condition: Sendable {
    static let noteText = "sun"

    case ageIs42
    case cityIs42
    case agedAbove50AndScoreBelowHalf
    /// The note contains `noteText`.
    case noteContains
}

/// One of the updates.
struct AgeChange: Sendable {
    var id: Int
    var age: Int
}

/// The options for opening a store.
struct StoreOptions: Sendable {
    /// Whether a commit waits for the disk.
    var isSynced = true
    /// Whether the store is created with an index on the age. Regnum only; the peers build it
    /// afterwards.
    var isIndexed = false
    /// The number of objects that Regnum inserts per transaction; `nil` means all.
    var batch: Int?
    /// Whether the store is encrypted. Regnum only.
    var isEncrypted = false
}

/// The parts of the sums that all engines compute in the same way.
enum Sums {
    static func add(age: Int, score: Double, to sum: inout Int) {
        sum &+= age &+ Int(bitPattern: UInt(truncatingIfNeeded: score.bitPattern))
    }

    static func append(_ id: Int, to sum: inout Int) { sum = sum &* 31 &+ id }

    /// Adds the first, the middle and the last id found.
    static func add(_ found: [Int], to sum: inout Int) {
        guard let first = found.first, let last = found.last else { return }
        sum &+= first &+ found[found.count / 2] &+ last
    }

    static func add(id: Int, age: Int, to sum: inout Int) { sum &+= (id &+ 1) &* (age &+ 1_000) }
}

extension Engine {
    /// The engines with a store of people.
    static let stores: [Engine] = [.regnum, .encrypted, .grdb, .sqlite, .lmdb]

    var isRegnum: Bool { self == .regnum || self == .encrypted }

    /// The reason why the engine can't run here; `nil` if it can.
    var absence: String? {
        self == .lmdb && !LMDBLibrary.isInstalled ? "lmdb not installed" : nil
    }

    /// Opens the store in a directory, creating it if it doesn't exist.
    func open(in directory: URL, _ options: StoreOptions) async throws -> any PeopleStore {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        switch self {
        case .regnum, .encrypted:
            var options = options
            options.isEncrypted = self == .encrypted
            return try await RegnumStore.open(in: directory, options)
        case .grdb: return try GRDBStore(directory, options.isSynced ? .full : .off)
        case .sqlite: return try SQLiteStore(directory, options.isSynced ? .full : .off)
        case .lmdb: return try LMDBStore(directory, isSynced: options.isSynced)
        case .postgres, .raw: throw Failure("\(self) has no store of people.")
        }
    }
}

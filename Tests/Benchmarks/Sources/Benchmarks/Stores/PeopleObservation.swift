import BenchmarkKit
import Foundation

/// An observed condition on the age.
struct ObservedAges: Sendable {
    /// Matches people older than that.
    var above: Int
    /// Whether the result is sorted by age; otherwise its order doesn't matter.
    var isSorted = false
    /// Matches only people of this city; `nil` for all cities.
    var city: String?

    /// For SQLite and GRDB.
    var sql: String {
        let part = city.map { " AND city = '\($0)'" } ?? ""
        let order = isSorted ? "age, id" : "id"
        return "SELECT id, age FROM person WHERE age > \(above)\(part) ORDER BY \(order)"
    }
}

/// Observers of people by age, and the commits that they observe: one type per engine.
protocol PeopleObservation: Sendable {
    /// Starts an observer for each condition. Each reports once when it has begun, and then each
    /// non-empty change set, with the position of its condition.
    func begin(_ conditions: [ObservedAges], _ board: DeliveryBoard) async throws
    /// Changes the age of people in one commit.
    func commit(_ changes: [AgeChange]) async throws
    /// Called directly after each commit; does what the program itself must do for its observers.
    func deliver() async throws
    /// Ends the observers.
    func end() async
}

extension PeopleObservation {
    func deliver() {}
}

extension Engine {
    /// Returns the filled store in a directory, to be observed, with commits that don't wait for
    /// the disk.
    func observation(in directory: URL) async throws -> any PeopleObservation {
        switch try await open(in: directory, StoreOptions(isSynced: false)) {
        case let store as RegnumStore: return RegnumObservation(store)
        case let store as GRDBStore: return GRDBObservation(store)
        case let store as SQLiteStore: return SQLiteObservation(store)
        default: throw Failure("\(rawValue) can't observe people.")
        }
    }
}

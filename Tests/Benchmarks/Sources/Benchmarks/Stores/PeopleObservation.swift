import BenchmarkKit
import Foundation

/// A condition on the age that is observed.
struct ObservedAges: Sendable {
    /// People older than that.
    var above: Int
    /// By age, otherwise in no order that counts.
    var isSorted = false
    /// Only people of this city, nil for all.
    var city: String?

    /// For SQLite and GRDB.
    var sql: String {
        let part = city.map { " AND city = '\($0)'" } ?? ""
        let order = isSorted ? "age, id" : "id"
        return "SELECT id, age FROM person WHERE age > \(above)\(part) ORDER BY \(order)"
    }
}

/// Observers of people by age, and commits for them to observe: one type for each engine.
protocol PeopleObservation: Sendable {
    /// Starts an observer for each condition. Each reports once when it has begun, and then each
    /// change set that is not empty, under the position of its condition.
    func begin(_ conditions: [ObservedAges], _ board: DeliveryBoard) async throws
    /// Gives people another age, in one commit.
    func commit(_ changes: [AgeChange]) async throws
    /// Comes right after each commit: what the program itself must do for its observers.
    func deliver() async throws
    /// Ends the observers.
    func end() async
}

extension PeopleObservation {
    func deliver() {}
}

extension Engine {
    /// The store in a directory, filled, with commits that do not wait for the disk, to be observed.
    func observation(in directory: URL) async throws -> any PeopleObservation {
        switch try await open(in: directory, StoreOptions(isSynced: false)) {
        case let store as RegnumStore: return RegnumObservation(store)
        case let store as GRDBStore: return GRDBObservation(store)
        case let store as SQLiteStore: return SQLiteObservation(store)
        default: throw Failure("\(rawValue) has nothing to observe people with.")
        }
    }
}

import GRDBSQLite
import Synchronization

/// What a program does that uses only SQLite: runs the queries again after the commit, on the same
/// connection, and compares.
final class SQLiteObservation: PeopleObservation {
    private struct Observer {
        var condition: ObservedAges
        var last: [AgeRow]
    }

    private let store: SQLiteStore
    private let state = Mutex<(observers: [Observer], board: DeliveryBoard?)>(([], nil))

    init(_ store: SQLiteStore) {
        self.store = store
    }

    func begin(_ conditions: [ObservedAges], _ board: DeliveryBoard) throws {
        let observers = try conditions.map { condition in
            Observer(condition: condition, last: try store.people(condition))
        }
        state.withLock { $0 = (observers, board) }
        let nothing = AgeDelivery(deletions: 0, insertions: 0, modifications: 0)
        for observer in observers.indices {
            board.report(observer, nothing, at: monotonicNanoseconds())
        }
    }

    func commit(_ changes: [AgeChange]) throws {
        try store.update(changes, perTransaction: changes.count)
    }

    /// Does what GRDB and Regnum do automatically.
    func deliver() throws {
        try state.withLock { state in
            for index in state.observers.indices {
                let observer = state.observers[index]
                let people = try store.people(observer.condition)
                let delivery = AgeRow.difference(
                    from: observer.last, to: people, isSorted: observer.condition.isSorted)
                if !delivery.isEmpty {
                    state.board?.report(index, delivery, at: monotonicNanoseconds())
                }
                state.observers[index].last = people
            }
        }
    }

    func end() { state.withLock { $0 = ([], nil) } }
}

extension SQLiteStore {
    fileprivate func people(_ condition: ObservedAges) throws -> [AgeRow] {
        let statement = try prepared(condition.sql)
        var found: [AgeRow] = []
        try forEachRow(statement) {
            found.append(
                AgeRow(
                    id: Int(sqlite3_column_int64(statement, 0)),
                    age: Int(sqlite3_column_int64(statement, 1))))
        }
        return found
    }
}

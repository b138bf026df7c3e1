import GRDB
import Synchronization

/// GRDB's `ValueObservation` with its values as an asynchronous sequence. It fetches the whole
/// result again after each commit; the observer compares it with the previous one.
final class GRDBObservation: PeopleObservation {
    private let store: GRDBStore
    private let observers = Mutex<[Task<Void, Never>]>([])

    init(_ store: GRDBStore) {
        self.store = store
    }

    func begin(_ conditions: [ObservedAges], _ board: DeliveryBoard) {
        let tasks = conditions.enumerated().map { observer, condition in
            Task { [store] in
                do {
                    try await Self.observe(store.pool, condition, observer, board)
                } catch is CancellationError {
                    // The end.
                } catch {
                    board.fail(error)
                }
            }
        }
        observers.withLock { $0 = tasks }
    }

    @concurrent
    private static func observe(
        _ pool: DatabasePool, _ condition: ObservedAges, _ observer: Int, _ board: DeliveryBoard
    ) async throws {
        let sql = condition.sql
        let observation = ValueObservation.trackingConstantRegion { db in
            let rows = try Row.fetchCursor(try db.cachedStatement(sql: sql))
            var found: [AgeRow] = []
            while let row = try rows.next() { found.append(AgeRow(id: row[0], age: row[1])) }
            return found
        }
        var last: [AgeRow]?
        for try await people in observation.values(in: pool) {
            let delivery = AgeRow.difference(
                from: last ?? people, to: people, isSorted: condition.isSorted)
            let time = monotonicNanoseconds()
            // It may deliver an unchanged value again.
            if last == nil || !delivery.isEmpty { board.report(observer, delivery, at: time) }
            last = people
        }
    }

    func commit(_ changes: [AgeChange]) throws {
        try store.update(changes, perTransaction: changes.count)
    }

    func end() async {
        let tasks = observers.withLock { tasks in
            defer { tasks = [] }
            return tasks
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}

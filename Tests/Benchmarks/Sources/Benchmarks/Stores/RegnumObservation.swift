import Regnum
import Synchronization

/// Streams of change sets.
final class RegnumObservation: PeopleObservation {
    private let store: RegnumStore
    private let observers = Mutex<[Task<Void, Never>]>([])

    init(_ store: RegnumStore) {
        self.store = store
    }

    func begin(_ conditions: [ObservedAges], _ board: DeliveryBoard) {
        let tasks = conditions.enumerated().map { observer, condition in
            Task { [store] in
                do {
                    try await Self.observe(store.realm, condition, observer, board)
                } catch {
                    board.fail(error)
                }
            }
        }
        observers.withLock { $0 = tasks }
    }

    @concurrent
    private static func observe(
        _ realm: Realm, _ condition: ObservedAges, _ observer: Int, _ board: DeliveryBoard
    ) async throws {
        let above = condition.above
        var people = realm.objects(Person.self).where { $0.age > above }
        if let city = condition.city { people = people.where { $0.city == city } }
        if condition.isSorted { people = people.sorted(by: \.age) }
        for try await change in people.changes {
            let time = monotonicNanoseconds()
            switch change {
            case .initial:
                let nothing = AgeDelivery(deletions: 0, insertions: 0, modifications: 0)
                board.report(observer, nothing, at: time)
            case .update(_, let delta):
                let delivery = AgeDelivery(
                    deletions: delta.deletions.count, insertions: delta.insertions.count,
                    modifications: delta.modifications.count)
                board.report(observer, delivery, at: time)
            }
        }
    }

    func commit(_ changes: [AgeChange]) async throws {
        try await store.update(changes, perTransaction: changes.count)
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

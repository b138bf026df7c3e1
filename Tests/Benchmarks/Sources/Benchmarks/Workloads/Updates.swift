import BenchmarkKit
import Synchronization

/// 100,000 updates of one property of random people, on a copy that each round modifies further.
struct Updates: Workload {
    private static let updateCount = 100_000

    let name: String
    let perTransaction: Int
    let isSynced: Bool
    let notes: [String]

    static let oneTransaction = Updates(
        name: "8a", perTransaction: updateCount, isSynced: true,
        notes: ["100,000 updates of random people's age, one durable transaction."])
    static let tens = Updates(
        name: "8b", perTransaction: 10, isSynced: false,
        notes: [
            "100,000 updates, 10 in a transaction, without a sync: regnum with",
            ".relaxed(within: .seconds(1)), sqlite and grdb synchronous=OFF, lmdb MDB_NOSYNC.",
        ])

    func contenders(_ setting: Setting) async throws -> [Contender] {
        var contenders: [Contender] = []
        for engine in setting.stores(for: self) {
            let place = try await setting.stock.copy(engine)
            let store = try await engine.open(in: place, StoreOptions(isSynced: isSynced))
            let rounds = RoundCounter()
            contenders.append(
                Contender(engine) {
                    try await measure(store, engine, setting, round: rounds.next())
                })
        }
        return contenders
    }

    @concurrent
    private func measure(
        _ store: any PeopleStore, _ engine: Engine, _ setting: Setting, round: Int
    ) async throws -> [Sample] {
        let changes = People.ageChanges(
            Self.updateCount, below: setting.objectCount, UInt64(round))
        let start = monotonicNanoseconds()
        try await store.update(changes, perTransaction: perTransaction)
        let time = milliseconds(since: start)
        let answer = try await store.contentSum()
        try setting.agreement.check("\(name), round \(round)", answer, by: engine)
        guard perTransaction < Self.updateCount else {
            return [Sample(name, time, .milliseconds)]
        }
        let rate = Double(Self.updateCount / perTransaction) * 1_000 / time
        return [Sample(name, rate, .transactionsPerSecond)]
    }
}

/// Counts the rounds of a contender, from 1.
final class RoundCounter: Sendable {
    private let count = Atomic<Int>(0)

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}

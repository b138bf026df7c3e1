import BenchmarkKit
import Foundation

/// Deletes 100,000 random people in one transaction, from a new copy each round.
struct Deletion: Workload {
    private static let deletionCount = 100_000

    let name = "9"
    var maximumRounds: Int? { 5 }
    var notes: [String] {
        ["100,000 random people (half of all, if there are fewer), one durable transaction."]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        let count = min(Self.deletionCount, setting.objectCount / 2)
        let ids = People.differentIDs(count, below: setting.objectCount)
        return setting.stores(for: self).map { engine in
            Contender(engine) { try await measure(engine, ids, setting) }
        }
    }

    @concurrent
    private func measure(
        _ engine: Engine, _ ids: [Int], _ setting: Setting
    ) async throws -> [Sample] {
        let place = try await setting.stock.copy(engine)
        defer { try? FileManager.default.removeItem(at: place) }
        let store = try await engine.open(in: place, StoreOptions())
        // The copies are new: this makes each engine read its store once.
        _ = try await store.contentSum()
        let start = monotonicNanoseconds()
        try await store.delete(ids)
        let time = milliseconds(since: start)
        try setting.agreement.check(name, try await store.contentSum(), by: engine)
        try await store.close()
        return [Sample(name, time, .milliseconds)]
    }
}

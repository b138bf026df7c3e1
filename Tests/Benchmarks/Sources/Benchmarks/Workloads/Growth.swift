import BenchmarkKit
import Foundation

/// What an operation costs in a store of 10,000 people, of 100,000 and so on, and how often what it
/// cost in the smallest.
struct Growth: Workload {
    private static let smallest = 10_000
    private static let repetitions = 5
    private static let readCount = 100_000
    /// Inserts and updates of a transaction.
    private static let changeCount = 1_000
    private static let fillCount = 100_000

    let name = "growth"
    /// It takes minutes.
    var isPartOfAll: Bool { false }
    var roundsMax: Int? { 1 }
    var notes: [String] {
        [
            "insert and update: one of 1,000 in a transaction without a sync, read: of random "
                + "people;",
            "medians of \(Self.repetitions); -ratio is to \(Self.smallest) people, <= 1.5 wanted.",
        ]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        setting.stores(for: self).map { engine in
            Contender(engine) { try await measure(engine, setting) }
        }
    }

    @concurrent
    private func measure(_ engine: Engine, _ setting: Setting) async throws -> [Sample] {
        let place = await setting.stock.newDirectory(engine)
        defer { try? FileManager.default.removeItem(at: place) }
        let options = StoreOptions(isSynced: false, batch: setting.batch)
        let store = try await engine.open(in: place, options)
        var samples: [Sample] = []
        var first: [String: Double] = [:]
        var stored = 0
        var size = Self.smallest
        while size <= setting.growthMax {
            try await fill(store, from: &stored, to: size)
            for (work, cost) in try await costs(store, engine, &stored, setting) {
                let title = "\(name)-\(work)-\(size)"
                samples.append(Sample(title, cost, .nanoseconds))
                if let first = first[work] {
                    samples.append(Sample("\(title)-ratio", cost / first, .ratio))
                } else {
                    first[work] = cost
                }
            }
            size *= 10
        }
        try await store.close()
        return samples
    }

    private func fill(
        _ store: any PeopleStore, from stored: inout Int, to size: Int
    ) async throws {
        while stored < size {
            let end = min(stored + Self.fillCount, size)
            try await store.insert(stored..<end, People.person)
            stored = end
        }
    }

    /// Nanoseconds of one insert, one read and one update.
    private func costs(
        _ store: any PeopleStore, _ engine: Engine, _ stored: inout Int, _ setting: Setting
    ) async throws -> [(String, Double)] {
        let size = stored
        var (inserts, reads, updates): ([Double], [Double], [Double]) = ([], [], [])
        for repetition in 0..<Self.repetitions {
            let salt = UInt64(repetition + 1)
            let ids = People.randomIDs(Self.readCount, below: size, salt)
            reads.append(
                try await nanoseconds(ids.count) {
                    let answer = try await store.read(ids)
                    let question = "growth, \(size) people, \(repetition)"
                    try setting.agreement.check(question, answer, by: engine)
                })
            let first = stored
            let people = People.people(first..<first + Self.changeCount)
            stored += people.count
            inserts.append(
                try await nanoseconds(people.count) {
                    try await store.insert(first..<first + people.count) { people[$0 - first] }
                })
            let changes = People.ageChanges(Self.changeCount, below: size, salt)
            updates.append(
                try await nanoseconds(changes.count) {
                    try await store.update(changes, perTransaction: changes.count)
                })
        }
        return [
            ("insert", Statistics.median(inserts)), ("read", Statistics.median(reads)),
            ("update", Statistics.median(updates)),
        ]
    }

    private func nanoseconds(
        _ count: Int, _ body: () async throws -> Void
    ) async rethrows -> Double {
        let start = monotonicNanoseconds()
        try await body()
        return Double(monotonicNanoseconds() - start) / Double(count)
    }
}

import BenchmarkKit
import Foundation

/// The cost of operations in a store of 10,000 people, of 100,000 and so on, and its ratio to that
/// in the smallest store: for random people, and for neighbors in key order.
struct Growth: Workload {
    private static let smallest = 10_000
    private static let repetitions = 5
    private static let readCount = 100_000
    /// The number of inserts and updates per transaction.
    private static let changeCount = 1_000
    private static let fillCount = 100_000
    /// The approximate size of a person in the files.
    private static let personByteCount = 128

    let name = "growth"
    /// It takes minutes.
    var isPartOfAll: Bool { false }
    var maximumRounds: Int? { 1 }
    var notes: [String] {
        [
            "insert and update: one of 1,000 in a transaction without a sync, read: of random "
                + "people; -ascending: of neighbors by key;",
            "raw: a load from as much memory as the people take, at an address given by the load "
                + "before it;",
            "medians of \(Self.repetitions); -ratio is to \(Self.smallest) people, <= 1.5 wanted.",
        ]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        let floor = Contender(.raw) { try await onThread { loads(setting) } }
        return [floor]
            + setting.stores(for: self).map { engine in
                Contender(engine) { try await measure(engine, setting) }
            }
    }

    /// Returns the nanoseconds of a load that depends on the previous one: a walk through a cycle
    /// of all cache lines.
    private func loads(_ setting: Setting) -> [Sample] {
        var samples: [Sample] = []
        var size = Self.smallest
        var first: Double?
        while size <= setting.maximumGrowth {
            let byteCount = size * Self.personByteCount
            let lines = MemoryCycle(lineCount: byteCount / MemoryCycle.lineByteCount)
            let costs = (0..<Self.repetitions).map { _ in
                let start = monotonicNanoseconds()
                lines.walk(Self.readCount)
                return Double(monotonicNanoseconds() - start) / Double(Self.readCount)
            }
            let cost = Statistics.median(costs)
            samples.append(Sample("\(name)-load-\(size)", cost, .nanoseconds))
            if let first {
                samples.append(Sample("\(name)-load-\(size)-ratio", cost / first, .ratio))
            }
            first = first ?? cost
            size *= 10
        }
        return samples
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
        while size <= setting.maximumGrowth {
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

    /// Returns the nanoseconds of one insert, one read and one update, by operation.
    private func costs(
        _ store: any PeopleStore, _ engine: Engine, _ stored: inout Int, _ setting: Setting
    ) async throws -> [(String, Double)] {
        let size = stored
        var costs: [String: [Double]] = [:]
        for repetition in 0..<Self.repetitions {
            let salt = UInt64(repetition + 1)
            for (work, ids) in [
                ("read", People.randomIDs(Self.readCount, below: size, salt)),
                ("read-ascending", People.neighbors(Self.readCount, below: size, salt)),
            ] {
                let cost = try await nanoseconds(ids.count) {
                    let answer = try await store.read(ids)
                    let question = "growth, \(work), \(size) people, \(repetition)"
                    try setting.agreement.check(question, answer, by: engine)
                }
                costs[work, default: []].append(cost)
            }
            let first = stored
            let people = People.people(first..<first + Self.changeCount)
            stored += people.count
            let cost = try await nanoseconds(people.count) {
                try await store.insert(first..<first + people.count) { people[$0 - first] }
            }
            costs["insert", default: []].append(cost)
            for (work, ids) in [
                ("update", People.randomIDs(Self.changeCount, below: size, salt)),
                ("update-ascending", People.neighbors(Self.changeCount, below: size, salt)),
            ] {
                let changes = People.ageChanges(of: ids, salt)
                let cost = try await nanoseconds(changes.count) {
                    try await store.update(changes, perTransaction: changes.count)
                }
                costs[work, default: []].append(cost)
            }
        }
        return costs.sorted { $0.key < $1.key }.map { ($0.key, Statistics.median($0.value)) }
    }

    private func nanoseconds(
        _ count: Int, _ body: () async throws -> Void
    ) async rethrows -> Double {
        let start = monotonicNanoseconds()
        try await body()
        return Double(monotonicNanoseconds() - start) / Double(count)
    }
}

import BenchmarkKit

/// A query of the filled stores, which are shared: the same for all engines, with the answers
/// compared.
struct Question: Workload {
    /// The number of times that a round runs the query; its value is the median.
    private static let repetitions = 5

    let name: String
    let unit: BenchmarkKit.Unit
    var notes: [String] = []
    /// The number of operations in one run of the query, for rates.
    var count = 1
    var isIndexed = false
    let ask: @Sendable (any PeopleStore, Setting) async throws -> Int

    func contenders(_ setting: Setting) async throws -> [Contender] {
        var contenders: [Contender] = []
        for engine in setting.stores(for: self) {
            let store = try await setting.stock.store(engine, isIndexed: isIndexed)
            contenders.append(
                Contender(engine) { try await measure(store, engine, setting) })
        }
        return contenders
    }

    @concurrent
    private func measure(
        _ store: any PeopleStore, _ engine: Engine, _ setting: Setting
    ) async throws -> [Sample] {
        var values: [Double] = []
        for _ in 0..<Self.repetitions {
            let start = monotonicNanoseconds()
            let answer = try await ask(store, setting)
            let time = milliseconds(since: start)
            values.append(unit == .milliseconds ? time : Double(count) * 1_000 / time)
            try setting.agreement.check(name, answer, by: engine)
        }
        return [Sample(name, Statistics.median(values), unit)]
    }
}

extension Question {
    static let withoutIndex: [Question] = [
        pointReads, count("4a", .ageIs42), count("4b", .cityIs42),
        count("4c", .agedAbove50AndScoreBelowHalf), count("4d", .noteContains),
        Question(name: "5a", unit: .milliseconds) { store, _ in try await store.sumOfAges() },
        Question(name: "5b", unit: .milliseconds) { store, _ in
            Int(bitPattern: UInt(truncatingIfNeeded: try await store.maximumOfScores().bitPattern))
        },
        Question(
            name: "6a", unit: .milliseconds,
            notes: ["sorts by score, and reads the ids of all in that order."]
        ) { store, _ in try await store.sortByScore(first: nil) },
        Question(
            name: "6b", unit: .milliseconds,
            notes: ["the first 100 in order of the scores; regnum by results.prefix(100)."]
        ) { store, _ in try await store.sortByScore(first: 100) },
    ]

    static let withIndex: [Question] = [
        Question(name: "7b", unit: .milliseconds, notes: indexNotes, isIndexed: true) {
            store, setting in try await store.countByAge(setting.ages)
        },
        Question(
            name: "7c", unit: .milliseconds,
            notes: ["fetches the ids of each age, reads first, middle and last."], isIndexed: true
        ) { store, setting in try await store.findByAge(setting.ages) },
    ]

    private static let indexNotes = [
        "1,000 ages; regnum's store is filled with the index, the peers' get it afterwards."
    ]

    private static let pointReads = Question(
        name: "3", unit: .readsPerSecond, notes: ["age and score of random people."],
        count: Setting.readCount
    ) { store, setting in try await store.read(setting.readIDs) }

    private static func count(_ name: String, _ condition: Condition) -> Question {
        Question(name: name, unit: .milliseconds) { store, _ in try await store.count(condition) }
    }
}

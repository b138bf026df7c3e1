import BenchmarkKit
import Foundation
import Testing

@testable import benchmarks

/// The installed engines do the same work; otherwise the benchmarks would be meaningless.
@Suite struct AnswerTests {
    private static let count = 2_000

    @Test func allEnginesAnswerAlike() async throws {
        let agreement = Agreement()
        for engine in Engine.stores where engine.absence == nil {
            let home = FileManager.default.temporaryDirectory
                .appending(path: "regnum-benchmark-tests-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: home) }
            let stock = Stock(home, objectCount: Self.count, batch: 500)
            try await ask(engine, stock, agreement)
            try await change(engine, stock, agreement)
            try await stock.close()
        }
    }

    private func ask(_ engine: Engine, _ stock: Stock, _ agreement: Agreement) async throws {
        let store = try await stock.store(engine)
        let ids = People.randomIDs(100, below: Self.count, 1)
        try agreement.check("reads", try await store.read(ids), by: engine)
        try agreement.check("age", try await store.count(.ageIs42), by: engine)
        try agreement.check("city", try await store.count(.cityIs42), by: engine)
        try agreement.check(
            "both", try await store.count(.agedAbove50AndScoreBelowHalf), by: engine)
        try agreement.check("sorted", try await store.sortByScore(first: nil), by: engine)
        try agreement.check("first", try await store.sortByScore(first: 100), by: engine)
        try agreement.check("note", try await store.count(.noteContains), by: engine)
        try agreement.check("sum", try await store.sumOfAges(), by: engine)
        let maximum = try await store.maximumOfScores()
        try agreement.check("maximum", Int(maximum * 1e15), by: engine)
        let indexed = try await stock.store(engine, isIndexed: true)
        let ages = [0, 42, 42, 99, 100]
        try agreement.check("counts by age", try await indexed.countByAge(ages), by: engine)
        try agreement.check("found by age", try await indexed.findByAge(ages), by: engine)
    }

    private func change(_ engine: Engine, _ stock: Stock, _ agreement: Agreement) async throws {
        let place = try await stock.copy(engine)
        let copy = try await engine.open(in: place, StoreOptions(isSynced: false))
        let changes = People.ageChanges(300, below: Self.count, 1)
        try await copy.update(changes, perTransaction: 10)
        try agreement.check("updated", try await copy.contentSum(), by: engine)
        try await copy.delete(People.differentIDs(700, below: Self.count))
        try agreement.check("deleted", try await copy.contentSum(), by: engine)
        try await copy.close()
        // The copied store is unchanged.
        let store = try await stock.store(engine)
        try agreement.check("untouched", try await store.contentSum(), by: engine)
    }

    @Test func deletedPeopleAreDifferentOnes() {
        #expect(Set(People.differentIDs(700, below: 1_000)).count == 700)
    }
}

import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

private final class Prize: Object { @Persisted var number: Int }

private final class Winner: Object {
    @Persisted var year: Int
    @Persisted var prize: Prize?
}

/// Queries that were built with an object of a class that has been dropped and declared again since
/// then, as by newer programs, so that another object has its row.
@Suite struct DroppedOperandTests {
    private func addWinner(_ realm: Realm) async throws {
        try await realm.write { tx in
            let winner = Winner()
            winner.prize = Prize()
            try tx.add(winner)
        }
    }

    private func dropPrizes(_ realm: Realm) async throws {
        try await realm.write { tx in
            let transaction = try requireValue(tx.core.writing)
            let winners = try requireValue(transaction.schema.table(named: "Winner"))
            let prizes = try requireValue(transaction.schema.table(named: "Prize")).key
            transaction.deleteAllRows(prizes)
            transaction.drop(winners.key, try requireValue(winners.column(named: "prize")).key)
            transaction.dropTable(prizes)
        }
    }

    // Covers .invalidQuery
    @Test func liveQueriesDoNotKeepOperandsOfADroppedClass() async throws {
        let realm = try await Realm.temporary([Prize.self, Winner.self])
        try await addWinner(realm)
        let before = realm.snapshot()
        let old = before.objects(Prize.self)[0]
        let winners = realm.objects(Winner.self)
        let live = winners.where { $0.prize == old }
        let text = try winners.filter("prize == %@", old)
        let dynamic = try winners.filter(
            "prize == %@", try requireValue(try before.dynamicObjects("Prize").first))
        let confined = try await realm.read { tx in
            let prize = tx.objects(Prize.self)[0]
            return winners.where { $0.prize == prize }
        }
        let ofYear = PreparedQuery<Winner, Int> { $0.prize == old && $0.year == $1 }
        let prepared = winners.where(ofYear, 0)
        let sections = live.sectioned(by: \.year)
        for query in [live, text, dynamic, confined, prepared] { expectEqual(query.count, 1) }
        let frozen = live.current
        var stream = live.changes.makeAsyncIterator()
        _ = try await stream.next()

        try await dropPrizes(realm)
        try await addWinner(realm)
        expectEqual(realm.snapshot().objects(Prize.self)[0].row, old.row)
        var errors = [
            await realmError { _ = try await stream.next(within: .zero) },
            await realmError { for try await _ in sections.changes { break } },
            await realmError { _ = try live.explain() },
            await realmError { _ = try live.predicate },
            await realmError { try await realm.read { tx in tx.resolve(frozen)?.count } },
        ]
        for query in [live, text, dynamic, confined, prepared] {
            errors += [
                await realmError { try realm.snapshot().read { _ in query.count } },
                await realmError { for try await _ in query.changes { break } },
            ]
        }
        for (number, error) in errors.enumerated() {
            expectTrue(
                error?.code == .invalidQuery && error?.className == "Prize", "error \(number)")
        }
    }

    /// In a snapshot from before, the object still has its row.
    @Test func operandsOfASnapshotAreThoseOfItsVersion() async throws {
        let realm = try await Realm.temporary([Prize.self, Winner.self])
        try await addWinner(realm)
        let before = realm.snapshot()
        let (old, winners) = (before.objects(Prize.self)[0], before.objects(Winner.self))
        let query = winners.where { $0.prize == old }
        try await dropPrizes(realm)
        try await addWinner(realm)
        let count = try before.read { _ in winners.where { $0.prize == old }.count }
        expectTrue(count == 1 && query.count == 1)
        try expectEqual(winners.index(matching: "prize == %@", old), 0)
        let new = realm.snapshot().objects(Prize.self)[0]
        let error = await realmError {
            try before.read { _ in winners.index(matching: { $0.prize == new }) }
        }
        expectTrue(error?.code == .invalidQuery && error?.className == "Prize")
    }
}

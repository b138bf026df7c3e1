import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels
@testable import RegnumWorkers

/// Consumers in copies of a realm, whose positions are copied with it: they continue without a gap,
/// or find that history is missing.
@Suite struct RestoredConsumerTests {
    private let world: ConsumerWorld

    init() async throws {
        world = try await ConsumerWorld()
    }

    private func open(_ name: String) async throws -> Realm {
        try await Realm.open(world.folder.configuration(name, workerTypes))
    }

    /// Runs the consumer of a realm until it has got so many objects. Returns their texts.
    private func consume(
        _ realm: Realm, _ count: Int, lostHistory: ConsumerOptions.LostHistory = .fail
    ) async throws -> [String] {
        let journal = Journal()
        var options = world.options
        options.lostHistory = lostHistory
        let run = Task { [options] in
            do {
                try await realm.consume(Memo.self, as: "mailer", options: options) { batch in
                    for memo in batch.inserted { journal.add(memo.text) }
                }
            } catch {
                for _ in 0..<count { journal.add("\(error)") }
                throw error
            }
        }
        let entries = await journal.entries(count)
        run.cancel()
        try await run.value
        return entries
    }

    @Test func consumerInACopyWithoutHistoryDoesNotSkip() async throws {
        try await world.add("a", "b")
        try await world.consuming { _ in
        } during: {
            try await world.saved()
        }
        try await world.add("c")
        try await world.realm.backup(to: world.folder["copy.realm"])
        try await world.add("lost")
        let lost = world.realm.snapshot().cursor
        let copy = try await open("copy.realm")
        let error = await realmError { try await consume(copy, 1) }
        expectEqual(error?.code, .historyTrimmed)
        try await expectEqual(consume(copy, 3, lostHistory: .resync), ["a", "b", "c"])
        // The copy now has the versions of the commits that it lacks.
        while copy.snapshot().version <= lost.version {
            try await copy.write { try $0.add(Memo("d")) }
        }
        let refused = await realmError {
            var changes = copy.objects(Memo.self).changes(since: lost).makeAsyncIterator()
            _ = try await changes.next()
        }
        expectEqual(refused?.code, .invalidInput)
        await copy.close()
    }

    @Test func positionOfAnotherRealmIsLostHistory() async throws {
        try await world.add("a")
        try await world.consuming { _ in
        } during: {
            try await world.saved()
        }
        let other = try await Realm.temporary(workerTypes).snapshot().cursor
        // as after an import of all objects of that realm
        try await world.realm.write { tx in
            for record in try tx.dynamicObjects("RegnumConsumerRecord") {
                record["cursor"] = "\(other)"
            }
        }
        let error = await realmError { try await consume(world.realm, 1) }
        expectEqual(error?.code, .invalidInput)
        try await expectEqual(consume(world.realm, 1, lostHistory: .resync), ["a"])
    }

    @Test func consumerLagsByAllCommitsIfTheRealmLacksItsPosition() async throws {
        try await world.add("a")
        try await world.consuming { _ in
        } during: {
            try await world.saved()
        }
        let own = try requireValue(try await world.realm.consumers().first)
        expectEqual(own.lag, world.realm.snapshot().version - (own.cursor?.version ?? 0))
        let (other, newest) = try await (
            Realm.temporary(workerTypes).snapshot().cursor, world.realm.snapshot().cursor
        )
        // of another realm, as after a salvage, and of commits that a restored realm lacks
        for identifier in ["\(other)", "\(newest)"].map({ $0.prefix(32) }) {
            try await world.realm.write { tx in
                for record in try tx.dynamicObjects("RegnumConsumerRecord") {
                    record["cursor"] = "\(identifier)-1000000"
                }
            }
            let status = try requireValue(try await world.realm.consumers().first)
            expectEqual(status.cursor?.version, 1_000_000)
            expectEqual(status.lag, world.realm.snapshot().version)
        }
    }

    @Test func consumerInAnUpdatedBackupContinues() async throws {
        try await world.add("a")
        try await world.realm.backup(to: world.folder["copy.realm"])
        try await world.consuming { _ in
        } during: {
            try await world.saved()
        }
        try await world.add("b")
        try await world.add("c")
        try await world.realm.updateBackup(at: world.folder["copy.realm"])
        try await world.add("lost")
        let copy = try await open("copy.realm")
        try await copy.write { try $0.add(Memo("d")) }
        try await expectEqual(consume(copy, 3), ["b", "c", "d"])
        await copy.close()
    }

    /// As an import can leave it. A consumer without a position may skip what was committed before.
    @Test func aPositionThatIsNoCursorIsLost() async throws {
        try await world.add("a")
        try await world.consuming { _ in
        } during: {
            try await world.saved()
        }
        try await world.realm.write { tx in
            let found = tx.object(RegnumConsumerRecord.self, forPrimaryKey: "mailer")
            let record = try requireValue(found)
            record.cursor = "nonsense"
            record.attempts = 1_000
        }
        let error = await realmError { try await consume(world.realm, 1) }
        expectTrue(error?.code == .invalidInput && error?.message.contains("nonsense") == true)
        try await expectEqual(consume(world.realm, 1, lostHistory: .resync), ["a"])
        let status = try requireValue(try await world.status())
        expectTrue(status.cursor != nil)
    }
}

import Foundation
import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels
@testable import RegnumWorkers

/// Consumers of the changes of `Memo`, with a clock that only the test moves.
@Suite struct ConsumerTests {
    private let world: ConsumerWorld

    init() async throws {
        world = try await ConsumerWorld()
    }

    @Test func consumerGetsWhatIsThereAndThenTheChanges() async throws {
        let journal = world.journal
        try await world.add("a", "b")
        try await world.consuming { batch in
            for memo in batch.inserted { journal.add(memo.text) }
        } during: {
            expectEqual(await journal.entries(2), ["a", "b"])
            try await world.add("c")
            expectEqual(await journal.entries(3), ["a", "b", "c"])
            try await world.saved()
        }
        // committed while no consumer ran
        try await world.add("d")
        try await world.add("e")
        try await world.consuming { batch in
            for memo in batch.inserted { journal.add(memo.text) }
        } during: {
            expectEqual(await journal.entries(5), ["a", "b", "c", "d", "e"])
            try await world.saved()
        }
        let status = try #require(try await world.realm.consumers().first)
        expectTrue(status.name == "mailer" && status.className == "Memo")
        expectTrue(status.leaseExpiresAt == nil && status.attempts == 0)
        expectEqual(world.realm.stats().streams, 0)
    }

    @Test func consumerOfChangesSkipsWhatIsThere() async throws {
        let journal = world.journal
        try await world.add("a")
        var options = world.options
        options.start = .changes
        try await world.consuming(options: options) { batch in
            for memo in batch.inserted { journal.add(memo.text) }
        } during: {
            try await world.wait { $0.cursor != nil }
            try await world.add("b")
            expectEqual(await journal.entries(1), ["b"])
            try await world.saved()
        }
    }

    @Test func eachCommitIsAChangeOfItsOwn() async throws {
        let journal = world.journal
        var options = world.options
        options.batchSize = 3
        try await world.consuming(options: options) { batch in
            for element in batch.elements {
                guard case .update(_, let delta) = element else { continue }
                journal.add("\(delta.inserted.map(\.text)) \(delta.deletions)")
            }
            journal.add("\(batch.elements.count <= 3)")
        } during: {
            await journal.entries(1)
            for number in 0..<10 { try await world.add("\(number)") }
            try await world.realm.write { tx in tx.delete(tx.objects(Memo.self)) }
            try await world.saved()
        }
        let expected = (0..<10).map { "[\"\($0)\"] []" } + ["[] \(Array(0..<10))"]
        expectEqual(journal.entries.filter { $0 != "true" }, expected)
    }

    @Test func positionIsSavedWithTheHandlersWrites() async throws {
        let journal = world.journal
        try await world.add("a")
        try await world.consuming { batch in
            let attempt = batch.attempt
            let texts = batch.inserted.map(\.text)
            journal.add("\(attempt)")
            try await batch.save { tx in
                for text in texts { try tx.add(Receipt(text)) }
                if attempt == 1 { throw Failure() }
            }
            // no effect, because the position is saved
            throw Failure()
        } during: {
            try await world.clock.advance(by: .seconds(1)) { journal.entries.count == 2 }
            try await world.saved()
        }
        expectEqual(journal.entries, ["1", "2"])
        expectEqual(world.realm.snapshot().objects(Receipt.self).map(\.text), ["a"])
    }

    @Test func positionIsSavedOnce() async throws {
        let journal = world.journal
        try await world.add("a")
        try await world.consuming { batch in
            for number in 1...2 {
                do {
                    try await batch.save { tx in try tx.add(Receipt("\(number)")) }
                    journal.add("saved")
                } catch WorkerError.alreadySaved {
                    journal.add("already saved")
                }
            }
        } during: {
            expectEqual(await journal.entries(2), ["saved", "already saved"])
        }
        expectEqual(world.realm.snapshot().objects(Receipt.self).map(\.text), ["1"])
    }

    @Test func positionIsSavedAfterTheCancellation() async throws {
        let journal = world.journal
        try await world.add("a")
        try await world.consuming { batch in
            journal.add("begun")
            try? await waitForCancellation()
            try await batch.save { tx in try tx.add(Receipt("a")) }
        } during: {
            await journal.entries(1)
        }
        expectEqual(world.realm.snapshot().objects(Receipt.self).count, 1)
        let status = try #require(try await world.status())
        expectTrue(status.cursor != nil && status.attempts == 0)
    }

    @Test(arguments: [false, true])
    func ownChangesAreSkippedUnlessRequested(areIncluded: Bool) async throws {
        let journal = world.journal
        var options = world.options
        options.includesOwnChanges = areIncluded
        try await world.consuming(options: options) { batch in
            let texts = batch.inserted.map(\.text)
            for text in texts { journal.add(text) }
            guard texts.contains("question") else { return }
            try await batch.save { tx in try tx.add(Memo("answer")) }
        } during: {
            try await world.add("question")
            await journal.entries(1)
            try await world.saved()
            try await world.add("end")
            await journal.entries(areIncluded ? 3 : 2)
            try await world.saved()
        }
        expectEqual(
            journal.entries,
            areIncluded ? ["question", "answer", "end"] : ["question", "end"])
    }

    @Test func positionOfAQuietConsumerMovesOn() async throws {
        try await world.consuming { _ in
        } during: {
            try await world.wait { $0.cursor != nil }
            for number in 0..<5 {
                try await world.realm.write { try $0.add(Receipt("\(number)")) }
            }
            try await world.saved()
        }
    }

    // Covers .historyTrimmed
    @Test func lostHistoryIsAnErrorOrAResync() async throws {
        // a realm in memory keeps no history
        let realm = try await Realm.temporary(workerTypes)
        let (journal, options) = (world.journal, world.options)
        func consume(_ options: ConsumerOptions, until count: Int) async throws {
            let run = Task {
                try await realm.consume(Memo.self, as: "mailer", options: options) { batch in
                    for memo in batch.inserted { journal.add(memo.text) }
                }
            }
            await journal.entries(count)
            run.cancel()
            try await run.value
        }
        try await realm.write { try $0.add(Memo("a")) }
        try await consume(options, until: 1)
        try await realm.write { try $0.add(Memo("b")) }
        await expect(.historyTrimmed) {
            try await realm.consume(Memo.self, as: "mailer", options: options) { _ in }
        }
        expectEqual(journal.entries, ["a"])
        var resyncing = options
        resyncing.lostHistory = .resync
        try await consume(resyncing, until: 3)
        expectEqual(journal.entries, ["a", "a", "b"])
    }

    // Covers .invalidInput
    @Test func mistakesAreReported() async throws {
        let (realm, options) = (world.realm, world.options)
        for name in ["", String(repeating: "x", count: 1_001)] {
            await expectInvalidInput {
                try await realm.consume(Memo.self, as: name, options: options) { _ in }
            }
        }
        try await world.consuming { _ in
        } during: {
            try await world.wait { $0.cursor != nil }
        }
        await expectInvalidInput {
            try await realm.consume(Receipt.self, as: "mailer", options: options) { _ in }
        }
        let unlisted = try await Realm.temporary([Memo.self])
        await expectInvalidInput {
            try await unlisted.consume(Memo.self, as: "mailer") { _ in }
        }
        await expectInvalidInput { _ = try await unlisted.consumers() }
    }

    // Covers .closed
    @Test func consumerEndsWhenTheRealmIsClosed() async throws {
        let (realm, options, journal) = (world.realm, world.options, world.journal)
        try await world.add("a")
        let run = Task {
            try await realm.consume(Memo.self, as: "mailer", options: options) { batch in
                journal.add("\(batch.inserted.count)")
                try await waitForCancellation()
            }
        }
        await journal.entries(1)
        let waiting = Task {
            try await realm.consume(Memo.self, as: "mailer", options: options) { _ in }
        }
        await realm.close()
        // without any time passing, the handler is cancelled
        try await run.value
        // it may begin only now
        do {
            try await waiting.value
        } catch {
            expectEqual((error as? Realm.Error)?.code, .closed)
        }
        await expect(.closed) {
            try await realm.consume(Memo.self, as: "mailer", options: options) { _ in }
        }
    }

    @Test func changesThatAreDeliveredTogetherDoNotPreventWrites() async throws {
        let (journal, options) = (world.journal, world.options)
        var configuration = world.folder.configuration("few.realm", workerTypes)
        configuration.maximumNumberOfActiveVersions = 20
        let realm = try await Realm.open(configuration)
        func consume(until count: Int) async throws {
            let run = Task {
                try await realm.consume(Memo.self, as: "mailer", options: options) { batch in
                    for memo in batch.inserted { journal.add(memo.text) }
                }
            }
            await journal.entries(count)
            run.cancel()
            try await run.value
        }
        try await realm.write { try $0.add(Memo("first")) }
        try await consume(until: 1)
        for number in 1...40 { try await realm.write { try $0.add(Memo("\(number)")) } }
        let version = realm.snapshot().version
        try await consume(until: 41)
        let cursor = try requireValue(try await realm.consumers().first?.cursor)
        expectTrue(cursor.version >= version)
        expectEqual(journal.entries.count, 41)
    }

    /// Each holds versions until its position is saved.
    @Test func consumersDoNotWaitForTheVersionsOfOthers() async throws {
        let (journal, gate, options, count) = (world.journal, Gate(), world.options, 6)
        var configuration = world.folder.configuration("few.realm", workerTypes)
        configuration.maximumNumberOfActiveVersions = 3
        let realm = try await Realm.open(configuration)
        try await realm.write { try $0.add(Memo("a")) }
        var runs: [Task<Void, any Error>] = []
        for number in 1...count {
            // at a version of its own, because the one before it has written its record
            runs.append(
                Task {
                    try await realm.consume(
                        Memo.self, as: "mailer \(number)", options: options
                    ) { batch in
                        journal.add("begun")
                        await gate.pass()
                        if number % 2 == 0 { try await batch.save { _ in } }
                    }
                })
            await journal.entries(number)
        }
        await expect(.busy) { try await realm.write { try $0.add(Memo("b")) } }
        gate.open()
        for try await change in realm.objects(RegnumConsumerRecord.self).changes
        where change.collection.filter({ $0.cursor != nil }).count == count {
            break
        }
        for run in runs { run.cancel() }
        for run in runs { try await run.value }
        expectEqual(try await realm.consumers().map(\.attempts), [Int](repeating: 0, count: count))
        try await realm.write { try $0.add(Memo("b")) }
        await realm.close()
    }

    @Test func removedConsumerBeginsAgain() async throws {
        let journal = world.journal
        try await world.add("a")
        for _ in 0..<2 {
            try await world.consuming { batch in
                for memo in batch.inserted { journal.add(memo.text) }
            } during: {
                try await world.saved()
            }
            try await world.realm.removeConsumer("mailer")
            expectEqual(try await world.realm.consumers(), [])
        }
        expectEqual(journal.entries, ["a", "a"])
    }
}

/// A realm with a consumer "mailer" of the class `Memo`.
struct ConsumerWorld: Sendable {
    let clock = ManualClock()
    let journal = Journal()
    let folder: RealmFolder
    let realm: Realm

    init() async throws {
        folder = try RealmFolder()
        realm = try await Realm.open(folder.configuration("test.realm", workerTypes))
    }

    var options: ConsumerOptions {
        var options = ConsumerOptions()
        options.time = clock.time
        options.lease = .seconds(12)
        options.retry = RetryPolicy(attempts: 3, delay: .seconds(1), jitter: 0)
        options.logger = nil
        return options
    }

    /// Adds memos in one commit.
    func add(_ texts: String...) async throws {
        try await realm.write { tx in for text in texts { try tx.add(Memo(text)) } }
    }

    /// Runs the consumer until `body` returns.
    func consuming(
        options: ConsumerOptions? = nil,
        _ handler: @escaping @Sendable (ConsumerBatch<Memo>) async throws -> Void,
        during body: () async throws -> Void
    ) async throws {
        let options = options ?? self.options
        let run = Task { [realm] in
            try await realm.consume(Memo.self, as: "mailer", options: options, handler)
        }
        do {
            try await body()
        } catch {
            run.cancel()
            throw error
        }
        run.cancel()
        try await run.value
    }

    func status() async throws -> ConsumerStatus? { try await realm.consumers().first }

    /// Waits until the state of the consumer satisfies a condition.
    func wait(until isReached: (ConsumerStatus) -> Bool) async throws {
        for try await _ in realm.commits(since: nil).heartbeats(every: .milliseconds(5)) {
            if let status = try await status(), isReached(status) { return }
        }
    }

    /// Lets time pass until the consumer has processed everything that was committed before.
    func saved() async throws {
        let version = realm.snapshot().version
        try await clock.advance(by: .seconds(4)) {
            // also of a realm without commits: the consumer must have begun
            guard let cursor = try await status()?.cursor else { return false }
            return cursor.version >= version
        }
    }
}

import Foundation
import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels
@testable import RegnumWorkers

/// Changes whose handlers fail.
@Suite struct DeadChangeTests {
    private let world: ConsumerWorld

    init() async throws {
        world = try await ConsumerWorld()
    }

    private var letters: LiveResults<DeadChange> { world.realm.objects(DeadChange.self) }

    /// A handler that fails for memos with the text "poison".
    private var handler: @Sendable (ConsumerBatch<Memo>) async throws -> Void {
        { [journal = world.journal] batch in
            let texts = batch.inserted.map(\.text)
            if texts.contains("poison") {
                journal.add("poison \(batch.attempt)")
                throw Failure()
            }
            for text in texts { journal.add(text) }
        }
    }

    @Test func changeThatFailsTooOftenBecomesADeadLetter() async throws {
        let (clock, journal) = (world.clock, world.journal)
        try await world.consuming(handler) {
            try await world.saved()
            try await world.add("poison")
            let version = world.realm.snapshot().version
            try await clock.advance(by: .seconds(1)) { letters.current.count == 1 }
            try await world.add("after")
            await journal.entries(4)
            try await world.saved()
            let letter = try requireValue(letters.current.first)
            expectTrue(letter.consumer == "mailer" && letter.className == "Memo")
            expectTrue(letter.attempts == 3 && letter.error.contains("Failure"))
            expectTrue(!letter.isRetried && letter.version <= Int(version))
            expectEqual(try await world.status()?.deadLetters, 1)
        }
        expectEqual(journal.entries, ["poison 1", "poison 2", "poison 3", "after"])
    }

    @Test func onlyTheFailingChangeOfABatchDies() async throws {
        let (clock, journal, gate) = (world.clock, world.journal, Gate())
        try await world.consuming { [handler] batch in
            journal.add("batch of \(batch.elements.count)")
            if case .initial = batch.elements[0] { await gate.pass() }
            try await handler(batch)
        } during: {
            await journal.entries(1)
            // delivered together, because they are committed while the handler waits
            for text in ["a", "poison", "b"] { try await world.add(text) }
            gate.open()
            try await clock.advance(by: .seconds(1)) { letters.current.count == 1 }
            try await world.saved()
        }
        let texts = journal.entries.filter { !$0.hasPrefix("batch") }
        // as one of the batch, and then three times alone
        expectEqual(
            texts, ["poison 1", "a", "poison 1", "poison 2", "poison 3", "b"])
        expectTrue(journal.entries.contains("batch of 3"))
    }

    /// Attempts at a change that the consumer no longer receives aren't attempts at the next one.
    @Test func attemptsEndWithTheirChange() async throws {
        let journal = world.journal
        var options = world.options
        options.includesOwnChanges = true
        try await world.consuming(options: options) { batch in
            if batch.inserted.contains(where: { $0.text == "own" }) { throw Failure() }
            try await batch.save { tx in try tx.add(Memo("own")) }
        } during: {
            try await world.wait { $0.attempts == 1 }
        }
        try await world.consuming { batch in
            for memo in batch.inserted { journal.add("\(memo.text) \(batch.attempt)") }
        } during: {
            try await world.saved()
            let status = try requireValue(try await world.status())
            expectTrue(status.attempts == 0 && status.lastError == nil)
            try await world.add("next")
            await journal.entries(1)
        }
        expectEqual(journal.entries, ["next 1"])
    }

    @Test func deadLetterIsRetriedOnRequest() async throws {
        let (clock, journal, realm) = (world.clock, world.journal, world.realm)
        let isCured = Journal()
        try await world.consuming { batch in
            let texts = batch.inserted.map(\.text)
            if texts.contains("poison"), isCured.entries.isEmpty { throw Failure() }
            for text in texts { journal.add("\(text) \(batch.isDeadLetter)") }
        } during: {
            try await world.saved()
            try await world.add("poison")
            try await world.add("later")
            try await clock.advance(by: .seconds(1)) { letters.current.count == 1 }
            expectEqual(await journal.entries(1), ["later false"])
            // once in vain
            try await retryAll()
            try await clock.advance(by: .seconds(4)) { letters.current.first?.attempts == 4 }
            expectEqual(letters.current.first?.isRetried, false)
            isCured.add("yes")
            try await retryAll()
            try await clock.advance(by: .seconds(4)) { letters.current.isEmpty }
        }
        expectEqual(journal.entries, ["later false", "poison true"])
        expectEqual(realm.snapshot().objects(Memo.self).count, 2)
    }

    @Test func deadLetterWithoutHistoryIsKept() async throws {
        let clock = world.clock
        try await world.consuming(handler) {
            try await world.saved()
            try await world.add("poison")
            try await clock.advance(by: .seconds(1)) { letters.current.count == 1 }
            try await world.realm.write { tx in
                // a position that this realm never had
                for letter in tx.objects(DeadChange.self) { letter.since = "no position" }
            }
            try await retryAll()
            try await clock.advance(by: .seconds(4)) { letters.current.first?.isRetried == false }
            expectTrue(letters.current.first?.error.contains("no longer available") == true)
        }
    }

    /// For example after an import of all objects of that realm.
    @Test func deadLetterOfAnotherRealmIsKept() async throws {
        let clock = world.clock
        let other = try await Realm.temporary([Memo.self]).snapshot().cursor
        try await world.consuming(handler) {
            try await world.saved()
            try await world.add("poison")
            try await clock.advance(by: .seconds(1)) { letters.current.count == 1 }
            try await world.realm.write { tx in
                for letter in tx.objects(DeadChange.self) { letter.since = "\(other)" }
            }
            try await retryAll()
            try await clock.advance(by: .seconds(4)) { letters.current.first?.isRetried == false }
            expectTrue(letters.current.first?.error.contains("no longer available") == true)
            try await world.add("after")
            try await world.saved()
        }
        expectEqual(world.journal.entries.last, "after")
    }

    @Test func deadLetterThatIsDeletedIsNotRetried() async throws {
        let (clock, journal, realm) = (world.clock, world.journal, world.realm)
        try await world.consuming { batch in
            let texts = batch.inserted.map(\.text)
            guard texts.contains("poison") else {
                for text in texts { journal.add(text) }
                return
            }
            guard batch.isDeadLetter else { throw Failure() }
            journal.add("again")
            // also the other one, which was marked at the same time
            try await realm.write { tx in tx.delete(tx.objects(DeadChange.self)) }
        } during: {
            try await world.saved()
            for _ in 0..<2 { try await world.add("poison") }
            try await clock.advance(by: .seconds(1)) { letters.current.count == 2 }
            try await retryAll()
            try await clock.advance(by: .seconds(4)) { letters.current.isEmpty }
            try await world.add("after")
            try await world.saved()
        }
        expectEqual(journal.entries, ["again", "after"])
    }

    /// The position before it is that of a process that skipped the own change in between.
    @Test func deadLetterIsFoundBehindChangesThatWereSkipped() async throws {
        let (clock, journal) = (world.clock, world.journal)
        let isCured = Journal()
        let handler: @Sendable (ConsumerBatch<Memo>) async throws -> Void = { batch in
            let texts = batch.inserted.map(\.text)
            if texts == ["question"] {
                try await batch.save { tx in try tx.add(Memo("answer")) }
            }
            guard texts == ["poison"] else { return }
            journal.add("\(batch.isDeadLetter)")
            if isCured.entries.isEmpty { throw Failure() }
        }
        try await world.consuming(handler) {
            try await world.saved()
            try await world.add("question")
            try await wait(for: world.realm.objects(Memo.self)) { $0.count == 2 }
            try await world.add("poison")
            await journal.entries(1)
            try await clock.advance(by: .seconds(1)) { letters.current.count == 1 }
        }
        isCured.add("yes")
        try await retryAll()
        var options = world.options
        options.includesOwnChanges = true
        try await world.consuming(options: options, handler) {
            try await clock.advance(by: .seconds(4)) {
                guard let letter = letters.current.first else { return true }
                // the error that it has until the handler returns
                return !letter.isRetried && !letter.error.contains("process died")
            }
        }
        expectEqual(letters.current.map(\.error), [])
        expectEqual(journal.entries, ["false", "false", "false", "true"])
    }

    @Test func retryOfADeadLetterThatEndsItsProcessCounts() async throws {
        let (clock, journal, gate) = (world.clock, world.journal, Gate())
        try await world.consuming { batch in
            guard batch.inserted.map(\.text).contains("poison") else { return }
            if batch.isDeadLetter {
                journal.add("begun")
                await gate.pass()
            }
            throw Failure()
        } during: {
            try await world.saved()
            try await world.add("poison")
            try await clock.advance(by: .seconds(1)) { letters.current.count == 1 }
            try await retryAll()
            try await clock.advance(by: .seconds(4)) { journal.entries.count == 1 }
            // what a process finds that takes over now
            let letter = try requireValue(letters.current.first)
            expectTrue(letter.attempts == 4 && !letter.isRetried)
            gate.open()
        }
    }

    @Test func interruptedRetryOfADeadLetterIsMadeLater() async throws {
        let (clock, journal) = (world.clock, world.journal)
        let handler: @Sendable (ConsumerBatch<Memo>) async throws -> Void = { batch in
            guard batch.inserted.map(\.text).contains("poison") else { return }
            if !batch.isDeadLetter { throw Failure() }
            journal.add("retry \(batch.attempt)")
            if journal.entries.count == 1 { try await waitForCancellation() }
        }
        try await world.consuming(handler) {
            try await world.saved()
            try await world.add("poison")
            try await clock.advance(by: .seconds(1)) { letters.current.count == 1 }
            try await retryAll()
            try await clock.advance(by: .seconds(4)) { journal.entries.count == 1 }
        }
        let letter = try requireValue(letters.current.first)
        expectTrue(letter.attempts == 3 && letter.isRetried)
        try await world.consuming(handler) {
            try await clock.advance(by: .seconds(4)) { letters.current.isEmpty }
        }
        expectEqual(journal.entries, ["retry 4", "retry 4"])
    }

    /// The names of consumers are the same if their bytes are.
    @Test func deadLetterOfAnEquivalentNameIsLeftAlone() async throws {
        let (realm, options) = (world.realm, world.options)
        try await realm.write { tx in
            let letter = DeadChange()
            (letter.consumer, letter.className, letter.isRetried) = ("\u{E9}", "Memo", true)
            try tx.add(letter)
        }
        let consumer = Task {
            try await realm.consume(Memo.self, as: "e\u{301}", options: options) { _ in }
        }
        try await world.saved()
        // letters are looked for before the position moves on
        try await realm.write { try $0.add(Receipt("a")) }
        try await world.saved()
        consumer.cancel()
        try await consumer.value
        expectEqual(letters.current.map(\.isRetried), [true])
    }

    private func retryAll() async throws {
        try await world.realm.write { tx in
            for letter in tx.objects(DeadChange.self) { tx.retry(letter) }
        }
    }

    @Test func stateAsAWholeCanDieAndBeRetried() async throws {
        let clock = world.clock
        try await world.add("poison")
        let isCured = Journal()
        try await world.consuming { [journal = world.journal] batch in
            guard case .initial(let memos) = batch.elements[0] else { return }
            if isCured.entries.isEmpty { throw Failure() }
            journal.add("\(memos.map(\.text))")
        } during: {
            try await clock.advance(by: .seconds(1)) { letters.current.count == 1 }
            isCured.add("yes")
            try await retryAll()
            try await clock.advance(by: .seconds(4)) { letters.current.isEmpty }
        }
        expectEqual(world.journal.entries, ["[\"poison\"]"])
    }

    @Test func attemptsThatKillTheProcessCount() async throws {
        let (realm, journal) = (world.realm, world.journal)
        try await world.add("poison")
        // the process died in two attempts that were counted, with the lease
        try await realm.write { tx in
            let record = RegnumConsumerRecord()
            (record.name, record.className) = ("mailer", "Memo")
            (record.holder, record.attempts) = ("dead", 2)
            try tx.add(record)
        }
        let gate = Gate()
        try await world.consuming { batch in
            // counted before it begins
            let attempts = try await realm.consumers()[0].attempts
            journal.add("\(batch.attempt) \(attempts)")
            await gate.pass()
            throw Failure()
        } during: {
            expectEqual(await journal.entries(1), ["3 3"])
            gate.open()
            try await wait(for: letters) { $0.count == 1 }
        }
        expectEqual(letters.current.first?.attempts, 3)
        expectEqual(journal.entries, ["3 3"])
    }

    /// Whatever the error by which the handler ends.
    @Test(arguments: [false, true])
    func interruptedAttemptDoesNotCount(throwsOther: Bool) async throws {
        let journal = world.journal
        try await world.add("a")
        for number in 1...5 {
            try await world.consuming { batch in
                journal.add("\(batch.attempt)")
                do {
                    try await waitForCancellation()
                } catch {
                    throw throwsOther ? Failure() : error
                }
            } during: {
                await journal.entries(number)
            }
        }
        expectEqual(Set(journal.entries), ["1"])
        expectEqual(try await world.status()?.attempts, 0)
    }

    @Test(arguments: [
        WorkerError.alreadySaved(consumer: "other"), WorkerError.leaseLost(consumer: "other"),
    ])
    func errorOfAnotherConsumerIsAFailure(error: WorkerError) async throws {
        let journal = world.journal
        try await world.add("a")
        try await world.consuming { batch in
            journal.add("\(batch.attempt)")
            if batch.attempt < 3 { throw error }
        } during: {
            try await world.saved()
        }
        expectEqual(journal.entries, ["1", "2", "3"])
    }
}

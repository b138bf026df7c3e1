import AsyncAlgorithms
import Foundation
import Regnum
import RegnumTesting
import Testing
import TraitModels

/// Change streams under the operators of swift-async-algorithms. Time passes only when a test
/// advances the clock.
@Suite struct AsyncAlgorithmsTests {
    private let directory = TemporaryDirectory()
    private let journal = Journal()
    private let clock = ManualClock()

    private func counts() -> [Int] { journal.all.compactMap { Int($0) } }

    @Test(.timeLimit(.minutes(8)))
    func debounceWaitsForTheEndOfABurst() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let states = realm.objects(Note.self).changes.debounce(for: .seconds(1), clock: clock)
        let reader = Task { [journal] in
            for try await change in states { journal.add("\(change.collection.count)") }
            journal.add("end")
        }
        try await clock.sleeps(1)
        try await realm.addNotes(5)
        #expect(journal.all.isEmpty)
        try await clock.advance(by: .milliseconds(400)) { counts().last == 5 }
        #expect(counts() == Set(counts()).sorted())

        // the last state isn't lost if the stream ends before the pause does
        try await realm.addNotes(1)
        await realm.close()
        await journal.wait(for: "end")
        #expect(journal.all.suffix(3) == ["5", "6", "end"])
        try await reader.value
    }

    @Test(.timeLimit(.minutes(8)))
    func throttleReducesAllChangesInBetween() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let insertions = realm.objects(Note.self).changes._throttle(
            for: .seconds(1), clock: clock
        ) { (sum: Int?, change) in
            guard case .update(_, let delta) = change else { return 0 }
            return (sum ?? 0) + delta.insertions.count
        }
        let reader = Task { [journal] in
            for try await sum in insertions { journal.add("\(sum)") }
            journal.add("end")
        }
        await journal.wait(for: "0")  // the initial state isn't delayed
        try await realm.addNotes(5)
        #expect(counts() == [0])
        var added = 5
        try await clock.advance(by: .seconds(1)) {
            try await realm.addNotes(1)
            added += 1
            return counts().count > 1
        }
        // the last sum comes at the end of its interval
        await realm.close()
        try await clock.advance(by: .seconds(1)) { journal.all.last == "end" }
        try await reader.value
        #expect(counts().reduce(0, +) == added)
        #expect(counts().count < added)
    }

    private enum Change: Sendable {
        case notes(CollectionChange<Note>)
        case tickets(CollectionChange<Ticket>)

        var line: String {
            switch self {
            case .notes(let change): "notes \(change.collection.count)"
            case .tickets(let change): "tickets \(change.collection.count)"
            }
        }
    }

    @Test(.timeLimit(.minutes(8)))
    func mergeDeliversTheChangesOfBothStreams() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let both = merge(
            realm.objects(Note.self).changes.map { Change.notes($0) },
            realm.objects(Ticket.self).changes.map { Change.tickets($0) })
        let reader = Task { [journal] in
            for try await change in both { journal.add(change.line) }
            journal.add("end")
        }
        await journal.wait(for: "notes 0")
        await journal.wait(for: "tickets 0")
        try await realm.write { tx in
            try tx.create(Note.self, value: ["text": "note"])
            try tx.create(Ticket.self, value: ["expiresAt": Date.distantFuture])
        }
        await journal.wait(for: "notes 1")
        await journal.wait(for: "tickets 1")
        await realm.close()
        await journal.wait(for: "end")
        try await reader.value
        #expect(journal.all.count == 5)
    }

    @Test(.timeLimit(.minutes(8)))
    func cancellationLeavesNoStream() async throws {
        let realm = try await Realm.open(.ofTests(directory.url))
        let both = merge(
            realm.objects(Note.self).changes.map(\.collection.count),
            realm.objects(Ticket.self).changes.map(\.collection.count)
        ).debounce(for: .seconds(1), clock: clock)
        let reader = Task { for try await _ in both {} }
        try await clock.sleeps(1)
        reader.cancel()
        try await reader.value
        while realm.stats().streams > 0 {
            try await Task.sleep(for: .milliseconds(1))
        }
        await realm.close()
    }
}

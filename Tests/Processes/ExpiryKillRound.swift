import Foundation
import Glibc
import Regnum
import RegnumTestSupport
import RegnumWorkers

/// The class as declared in the children.
final class Lapse: Object {
    @Persisted var number: Int
    @Persisted(indexed: true) var expiresAt: Date
}

/// Objects that expire, and three processes that remove them, of which one at a time is killed and
/// replaced.
///
/// What must hold: each object is removed, and the tally that the same transaction writes counts it
/// once; none is removed before its date.
final class ExpiryKillRound {
    private let group: ChildGroup
    private let realm: Realm
    private var random: SeededRandom
    private var removers: [ChildProcess]
    private var all: [ChildProcess]
    private var lapseCount = 0

    init(_ group: ChildGroup, _ seed: UInt64) async throws {
        self.group = group
        random = SeededRandom(seed)
        realm = try await Realm.open(
            Realm.Configuration(
                location: .file(URL(filePath: group.realm)),
                objectTypes: [Lapse.self, Tally.self]))
        removers = try (0..<3).map { _ in try group.start("expire") }
        all = removers
    }

    /// - Returns: A description of the run.
    func run(kills: Int) async throws -> String {
        try await addLapses(50)
        try await waitForNone(of: "lapses") { lapsesLeft }
        for _ in 0..<kills {
            try await addLapses(100)
            let nanoseconds = Int.random(in: 0...80_000_000, using: &random)
            try await Task.sleep(for: .nanoseconds(nanoseconds), tolerance: .zero)
            try await kill(Int.random(in: 0..<removers.count, using: &random))
        }
        try await waitForNone(of: "lapses") { lapsesLeft }
        for remover in removers { remover.signal(SIGTERM) }
        for remover in removers { try await remover.expectTermination() }

        let lines = all.flatMap(\.lines)
        let early = lines.filter { $0.hasPrefix("early") }
        try require(early.isEmpty, "removed before their date: \(early)")
        let snapshot = realm.snapshot()
        let tallies = Dictionary(
            uniqueKeysWithValues: snapshot.objects(Tally.self).map { ($0.number, $0.count) })
        for number in 0..<lapseCount {
            let count = tallies[number, default: 0]
            try require(count == 1, "the lapse \(number) was removed \(count) times")
        }
        try require(tallies.count == lapseCount, "there are \(tallies.count) tallies")
        await realm.close()
        return "\(kills) kills, \(lapseCount) lapses, at most \(lines.count) transactions"
    }

    private var lapsesLeft: Int { realm.snapshot().objects(Lapse.self).count }

    /// Adds lapses that expire within the next moments.
    private func addLapses(_ count: Int) async throws {
        let now = Date()
        let lapses = (lapseCount..<lapseCount + count).map { number in
            (number, now + Double.random(in: -0.05...0.1, using: &random))
        }
        lapseCount += count
        try await realm.write { tx in
            for (number, date) in lapses {
                try tx.create(Lapse.self, value: ["number": number, "expiresAt": date])
            }
        }
    }

    private func kill(_ index: Int) async throws {
        let victim = removers[index]
        for remover in removers {
            try require(remover.isRunning, "exited unexpectedly: \(remover.description)")
        }
        victim.signal(SIGKILL)
        let ending = try await victim.end()
        try require(ending == .killed(signal: SIGKILL), "not killed: \(victim.description)")
        removers[index] = try group.start("expire")
        all.append(removers[index])
        group.forgetEnded()
    }
}

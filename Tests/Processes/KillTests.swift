import Foundation
import Glibc
import Regnum
import RegnumTestSupport
import Testing

/// Senders and tails of one realm are killed at random moments and restarted.
///
/// The moments also depend on the machine, so a seed doesn't repeat a run exactly.
@Suite(.serialized) struct KillTests {
    static let killCount = Effort.count(gate: 40, soak: 200)

    /// Each realm is used for up to 100 kills, since tails print it from the start after each kill.
    // Covers 13.9, 13.12
    @Test func everyAcknowledgedMessageIsThereOnceAndNobodyElseStops() async throws {
        var random = SeededRandom()
        let start = ContinuousClock.now
        var report = KillReport()
        while report.kills < Self.killCount {
            let kills = min(100, Self.killCount - report.kills)
            let seed = random.next()
            report += try await withChildren { group in
                try await KillRound(group, seed).run(kills: kills)
            }
        }
        print("kill -9: \(report), \(start.duration(to: .now))")
        expectEqual(report.kills, Self.killCount)
    }

    /// The next process to open creates the realm, or continues with what exists.
    @Test func realmOpensAfterAKillWhileItWasMade() async throws {
        var random = SeededRandom()
        var acknowledged = 0
        var committed = 0
        let count = max(20, Self.killCount / 4)
        for _ in 0..<count {
            let microseconds = Int.random(in: 0...30_000, using: &random)
            let isThere = try await withChildren { group in
                let child = try group.start("send", "general", "ann", "1")
                try await Task.sleep(for: .microseconds(microseconds))
                child.signal(SIGKILL)
                try await child.end()
                let ids = try await Realm.messageIDs(group.realm)
                try require(ids.count <= 1, "\(ids.count) messages of one")
                try require(child.lines.isEmpty || child.lines == ids, "a lost message")
                acknowledged += child.lines.count
                return ids.count == 1
            }
            if isThere { committed += 1 }
        }
        print(
            "kill -9 of \(count) processes that make a realm: \(committed) had committed, "
                + "\(acknowledged) had acknowledged it")
    }
}

/// The statistics of a run of kills.
struct KillReport: CustomStringConvertible {
    var kills = 0
    var senderKills = 0
    var tailKills = 0
    /// Kills before the first line of the process.
    var earlyKills = 0
    var messages = 0
    var acknowledged = 0
    var printed = 0

    static func += (left: inout KillReport, right: KillReport) {
        left.kills += right.kills
        left.senderKills += right.senderKills
        left.tailKills += right.tailKills
        left.earlyKills += right.earlyKills
        left.messages += right.messages
        left.acknowledged += right.acknowledged
        left.printed += right.printed
    }

    var description: String {
        """
        \(kills) kills (\(senderKills) of senders, \(tailKills) of tails, \(earlyKills) before the \
        first line); \(messages) messages, \(acknowledged) acknowledged before their sender's end; \
        tails printed \(printed) lines
        """
    }
}

/// Throws if the condition is false, which ends the test and keeps its files for inspection.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
    if !condition { throw ChildFailure(sentence()) }
}

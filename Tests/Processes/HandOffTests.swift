import Regnum
import RegnumTestSupport
import Testing

/// Processes that commit back to back for two seconds.
///
/// The assertions hold however the machine schedules the processes: every call of `write` makes one
/// commit, versions have no gaps and are unique, bodies see the versions in order, and every
/// process commits (a child continues until it has, so that a busy machine takes longer instead of
/// failing).
///
/// Fairness is printed, not asserted. A waiting process becomes visible only after its call of
/// `write`, and after a hand-off the lock is left alone for only 200 microseconds: whether a waiter
/// gets a processor within these times depends on the system, and on a busy machine it doesn't.
@Suite(.serialized) struct HandOffTests {
    // Covers 13.1, 13.12
    @Test(arguments: [2, 8]) func everyProcessCommitsAndVersionsHaveNoGap(count: Int) async throws {
        try await hammer(Array(repeating: "full", count: count))
    }

    /// Commits that don't wait for the disk leave no natural pause for other processes.
    @Test func durableWriterCommitsBesideARelaxedOne() async throws {
        try await hammer(["full", "relaxed"])
    }

    private func hammer(_ durabilities: [String]) async throws {
        try await withChildren { group in
            let children = try durabilities.map { try group.start("hammer", "2", $0) }
            for child in children { _ = try await child.lines(1) }
            for child in children { try child.type(["go"]) }
            for child in children { try await child.expectSuccess() }

            let log = try HammerLog(children)
            report(log, durabilities)
            expectTrue(log.shares.allSatisfy { $0 > 0 })
            expectEqual(log.commits.map(\.version), Array(1...UInt64(log.commits.count)))
            // The body of a version begins after that of the version before, and before `write` has
            // returned; all processes share one clock.
            let isOrdered = zip(log.commits, log.commits.dropFirst()).allSatisfy { earlier, later in
                earlier.began <= later.began && later.began <= later.returned
            }
            expectTrue(isOrdered)

            let realm = try await Realm.test(group.realm)
            expectEqual(realm.snapshot().version, UInt64(log.commits.count))
            expectEqual(realm.snapshot().objects(Message.self).count, log.commits.count)
            await realm.close()
        }
    }

    private func report(_ log: HammerLog, _ durabilities: [String]) {
        let passes = log.passesOver.sorted()
        let twice = passes.count { $0 > 1 }
        print(
            """
            hand-off: \(log.childCount) processes (\(Set(durabilities).sorted())): \
            \(log.commits.count) commits, shares \(log.shares), \(log.handOffs) hand-offs, longest \
            waits \(log.longestWaits.sorted()) us; passed over by the same other: median \
            \(passes[passes.count / 2]), p99 \(passes[passes.count * 99 / 100]), most \
            \(passes.last ?? 0), more than once \(twice); began again at once although others \
            had waited for a whole commit: \(log.overtakings)
            """)
    }
}

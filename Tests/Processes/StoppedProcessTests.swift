import Glibc
import Regnum
import RegnumTestSupport
import Testing

/// Processes that are stopped or die at a critical point.
@Suite(.serialized) struct StoppedProcessTests {
    // Covers O27
    @Test func stoppedTailHindersNobodyAndCatchesUp() async throws {
        try await withChildren { group in
            let tails = try (0..<2).map { _ in try group.start("tail", "general", "301") }
            let sender = try group.start("send", "general", "ann", "-")
            try sender.type(["before"])
            for tail in tails { _ = try await tail.lines(1) }
            try tails[0].stop()
            let printed = tails[0].lineCount

            try sender.type((0..<300).map { "line \($0)" })
            let ids = try await sender.lines(301)
            try await tails[1].expectSuccess()
            expectEqual(tails[1].lines, ids)
            expectTrue(tails[0].isRunning && tails[0].lineCount == printed)
            try await group.start("send", "elsewhere", "bob", "3").expectSuccess()

            tails[0].signal(SIGCONT)
            try await tails[0].expectSuccess()
            expectEqual(tails[0].lines, ids)
        }
    }

    /// The waiting process has a timeout far beyond the time that the system takes to end a
    /// process.
    // Covers 13.9
    @Test func killInsideABodyGivesTheLockToTheNext() async throws {
        try await withChildren { group in
            let writer = try group.start("stop-in-write")
            try await expectEqual(writer.lines(1), ["in write"])
            let busy = try group.start("send", "general", "ann", "1", "100")
            let first = try await busy.lines(1)
            expectEqual(first, ["busy"])
            let patient = try group.start("send", "general", "bob", "1", "600000")
            writer.signal(SIGKILL)
            try await expectEqual(writer.end(), .killed(signal: SIGKILL))
            try await patient.expectSuccess()
            try await busy.expectSuccess()

            expectTrue(patient.lineCount == 1 && !patient.lines.contains("busy"))
            let ids = try await Realm.messageIDs(group.realm)
            expectEqual(Set(ids), Set((busy.lines + patient.lines).filter { $0 != "busy" }))
            expectEqual(ids.count, 2)
        }
    }

    // Covers 13.1, 13.12
    @Test func writerStoppedInsideItsBodyMakesOthersBusyUntilItGoesOn() async throws {
        try await withChildren { group in
            let holder = try group.start("hold-in-write", "general", "ann")
            try await expectEqual(holder.lines(1), ["in write"])
            try holder.stop()
            let others = try ["bob", "cid"].map { name in
                try group.start("send", "general", name, "2", "100")
            }
            for other in others { try await expectEqual(other.lines(2), ["busy", "busy"]) }
            // Readers aren't blocked.
            try await expectEqual(Realm.messageIDs(group.realm), [])

            holder.signal(SIGCONT)
            try holder.type(["at last"])
            try await holder.expectSuccess()
            for other in others { try await other.expectSuccess() }
            let ids = try await Realm.messageIDs(group.realm)
            expectEqual(ids.count, 5)
            expectEqual(ids.first, holder.lines.last)
            let sent = ([holder] + others).flatMap(\.lines).filter { $0.count == 24 }
            expectEqual(Set(ids), Set(sent))
        }
    }
}

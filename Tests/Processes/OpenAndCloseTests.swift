import Regnum
import RegnumTestSupport
import Testing

@Suite(.serialized) struct OpenAndCloseTests {
    @Test func openingWhileAnotherProcessWritesShowsWhatWasAcknowledgedBefore() async throws {
        try await withChildren { group in
            let sender = try group.start("send", "general", "ann", "-")
            var isInOrder = true
            for round in 0..<20 {
                try sender.type((0..<50).map { "\(round) \($0)" })
                // Somewhere in the middle of this round's messages.
                _ = try await sender.lines(50 * round + 10)
                let acknowledged = sender.lines
                let ids = try await Realm.messageIDs(group.realm)
                isInOrder = isInOrder && ids.starts(with: acknowledged)
            }
            expectTrue(isInOrder)
            sender.closeInput()
            try await sender.expectSuccess()
            expectEqual(sender.lineCount, 1000)
            try await expectEqual(Realm.messageIDs(group.realm), sender.lines)
        }
    }

    @Test func closingTakesNothingFromThoseWhoGoOn() async throws {
        try await withChildren { group in
            let tail = try group.start("tail", "general", "140")
            let sender = try group.start("send", "general", "ann", "-")
            try sender.type(["first"])
            _ = try await sender.lines(1)
            let visitors = try (0..<2).map { number in
                try group.start("visit", "general", "visitor \(number)", "20")
            }
            try sender.type((1..<100).map { "line \($0)" })
            for visitor in visitors { try await visitor.expectSuccess() }
            sender.closeInput()
            try await sender.expectSuccess()
            try await tail.expectSuccess()
            let ids = try await Realm.messageIDs(group.realm)
            expectEqual(ids.count, 140)
            expectEqual(Set(ids), Set((visitors + [sender]).flatMap(\.lines)))
            expectEqual(tail.lines, ids)
        }
    }

    // Covers .closed
    @Test func forkedChildReadsAndWritesNothing() async throws {
        try await withChildren { group in
            let parent = try group.start("fork")
            try await parent.expectSuccess()
            expectEqual(
                parent.lines,
                [
                    "write closed", "snapshot after writing closed", #"snapshot ["1"]"#,
                    "files unchanged", "child ended with 0", #"snapshot ["1", "4"]"#,
                ])
            try await expectEqual(Realm.messageIDs(group.realm).count, 2)
        }
    }

    @Test func closingInOneProcessLeavesTheStreamsOfAnotherRunning() async throws {
        try await withChildren { group in
            let tail = try group.start("tail", "general", "3")
            for name in ["ann", "bob", "cid"] {
                try await group.start("send", "general", name, "1").expectSuccess()
            }
            try await tail.expectSuccess()
            try await expectEqual(Realm.messageIDs(group.realm), tail.lines)
        }
    }
}

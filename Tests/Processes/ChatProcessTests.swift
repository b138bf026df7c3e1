import Regnum
import RegnumTestSupport
import Testing

@Suite(.serialized) struct ChatProcessTests {
    /// Tails that exist from the start, or are added in the middle or at the end.
    // Covers 13.2, O3
    @Test func threeTailsPrintEveryMessageOfTwoSendersOnceInCommitOrder() async throws {
        let countEach = 300
        try await withChildren { group in
            let count = "\(2 * countEach)"
            var tails = [try group.start("tail", "general", count)]
            let senders = try ["ann", "bob"].map { name in
                try group.start("send", "general", name, "-")
            }
            for number in 0..<countEach {
                for sender in senders { try sender.type(["line \(number)"]) }
            }
            _ = try await senders[0].lines(countEach / 3)
            tails.append(try group.start("tail", "general", count))
            _ = try await senders[1].lines(countEach)
            tails.append(try group.start("tail", "general", count))

            for tail in tails { try await tail.expectSuccess() }
            for sender in senders {
                sender.closeInput()
                try await sender.expectSuccess()
            }
            let ids = try await Realm.messageIDs(group.realm)
            expectEqual(ids.count, 2 * countEach)
            expectEqual(Set(ids), Set(senders.flatMap(\.lines)))
            for sender in senders {
                let own = Set(sender.lines)
                expectEqual(ids.filter(own.contains), sender.lines)
            }
            for tail in tails { expectEqual(tail.lines, ids) }
        }
    }

    @Test func tailOfARoomWithoutMessagesWaitsAndSeesOtherRoomsNot() async throws {
        try await withChildren { group in
            let tail = try group.start("tail", "general", "1")
            try await group.start("send", "elsewhere", "ann", "20").expectSuccess()
            let sender = try group.start("send", "general", "bob", "1")
            try await sender.expectSuccess()
            try await tail.expectSuccess()
            expectEqual(tail.lines, sender.lines)
        }
    }

    @Test func tailEndsAtTheTerminationSignal() async throws {
        try await withChildren { group in
            let tail = try group.start("tail", "general", "-")
            let sender = try group.start("send", "general", "ann", "5")
            try await sender.expectSuccess()
            try await expectEqual(tail.lines(5), sender.lines)
            tail.signal(15)
            try await tail.expectSuccess()
        }
    }
}

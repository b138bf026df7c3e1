import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

/// A realm that this process only reads, or tries to delete or to upgrade, while others use it.
@Suite(.serialized) struct ReadOnlyProcessTests {
    private func configuration(_ group: ChildGroup) -> Realm.Configuration {
        Realm.Configuration(
            location: .file(URL(filePath: group.realm)), objectTypes: [Room.self, Message.self])
    }

    @Test func readerSeesEveryCommitOfAnotherProcessInOrder() async throws {
        try await withChildren { group in
            let sender = try group.start("send", "general", "ann", "-")
            try sender.type(["first"])
            _ = try await sender.lines(1)
            var reading = configuration(group)
            reading.readOnly = true
            let realm = try await Realm.open(reading)
            let stream = Task {
                var ids: [String] = []
                for try await change in realm.objects(Message.self).changes {
                    switch change {
                    case .initial(let messages): ids += messages.map { "\($0.messageID)" }
                    case .update(_, let delta): ids += delta.inserted.map { "\($0.messageID)" }
                    }
                    if ids.count >= 400 { break }
                }
                return ids
            }
            try sender.type((1..<400).map { "line \($0)" })
            let ids = try await stream.value
            // The reader may hear of the last commit before the sender has printed it.
            try await expectEqual(ids, sender.lines(400))
            expectTrue(realm.stats().commits == 0 && realm.stats().externalCommits > 0)
            await #expect(throws: Realm.Error.self) { try await realm.write { _ in } }
            // The realm stays as long as the reader has it open.
            sender.closeInput()
            try await sender.expectSuccess()
            let visitor = try group.start("visit", "general", "bob", "3")
            try await visitor.expectSuccess()
            let snapshot = try await realm.snapshot(atLeast: 403)
            expectEqual(snapshot.objects(Message.self).count, 403)
            await realm.close()
        }
    }

    @Test func realmOfAnotherProcessIsNotDeleted() async throws {
        try await withChildren { group in
            let sender = try group.start("send", "general", "ann", "-")
            try sender.type(["first"])
            _ = try await sender.lines(1)
            let error = await #expect(throws: Realm.Error.self) {
                try await Realm.deleteFiles(for: configuration(group))
            }
            expectTrue(error?.code == .alreadyOpen && error?.path == group.realm)
            try sender.type(["second"])
            _ = try await sender.lines(2)
            sender.closeInput()
            try await sender.expectSuccess()
            try await expectEqual(Realm.messageIDs(group.realm), sender.lines)
            #expect(try await Realm.deleteFiles(for: configuration(group)))
            #expect(try await !Realm.fileExists(for: configuration(group)))
        }
    }

    /// The older program's next write is refused, but it can continue to read.
    // Covers 6.3
    @Test func olderProgramCannotWriteAfterANewerOneHasRaisedTheSchemaVersion() async throws {
        try await withChildren { group in
            let tail = try group.start("tail", "general", "2")
            let sender = try group.start("send", "general", "ann", "-")
            try sender.type(["first"])
            _ = try await sender.lines(1)
            _ = try await tail.lines(1)
            var newer = configuration(group)
            newer.schemaVersion = 1
            let realm = try await Realm.open(newer)
            try sender.type(["second"])
            try await expectEqual(sender.end(), .exited(1))
            expectTrue(sender.description.contains("schemaMismatch"))
            try await realm.write { tx in
                let message = Message()
                message.room = "general"
                try tx.add(message)
            }
            try await tail.expectSuccess()
            expectEqual(tail.lineCount, 2)
            let late = try group.start("send", "general", "bob", "1")
            try await expectEqual(late.end(), .exited(1))
            expectTrue(late.description.contains("schema version 1"))
            await realm.close()
        }
    }
}

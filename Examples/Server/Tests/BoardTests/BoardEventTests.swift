import Foundation
import HummingbirdTesting
import Logging
import Regnum
import Testing

@testable import BoardKit

/// Event streams of a server in this process.
@Suite struct BoardEventTests {
    @Test func streamBeginsWithTheRoomAndGoesOnWithChanges() async throws {
        try await withServer { _, client in
            try await client.post("one", in: "news")
            var reader = RoomReader()
            try await reader.read("news", at: client.address) { !$0.messages.isEmpty }
            #expect(reader.messages.map(\.text) == ["one"])

            // the stream has ended; what is posted now comes when it is resumed
            try await client.post("two", in: "news")
            try await reader.read("news", at: client.address) { $0.messages.count == 2 }
            let reads = Task { [reader] in
                var reader = reader
                try await reader.read("news", at: client.address) { $0.messages.count == 4 }
                return reader
            }
            try await client.post("three", in: "news")
            try await client.createRoom("arts")
            try await client.post("elsewhere", in: "arts")
            try await client.post("four", in: "news")
            let last = try await reads.value
            #expect(last.received == [1, 2, 3, 4])
            #expect(last.messages.map(\.text) == ["one", "two", "three", "four"])
            #expect(last.resetCount == 1)
        }
    }

    @Test func largeRoomComesInParts() async throws {
        try await withServer(isInMemory: true) { realm, client in
            try await realm.write { tx in
                let room = tx.object(Room.self, forPrimaryKey: "news")
                for number in 1...1_001 {
                    _ = room?.post(NewMessage(author: "Ann", text: "\(number)"), at: Date())
                }
            }
            var reader = RoomReader()
            var ids: [String?] = []
            try await reader.read("news", at: client.address) { reader in
                ids.append(reader.lastID)
                return reader.lastID != nil
            }
            #expect(reader.messages.map(\.number) == Array(1...1_001))
            // `retry` and two parts have none, so that a client that got only them begins again
            #expect(ids == [nil, nil, nil, reader.lastID])
        }
    }

    @Test func quietStreamHasHeartbeatsThatAdvance() async throws {
        try await withServer(heartbeat: .milliseconds(50)) { _, client in
            var reader = RoomReader()
            try await reader.read("news", at: client.address) { $0.heartbeatCount == 1 }
            let first = reader.lastID
            try await client.createRoom("arts")
            try await reader.read("news", at: client.address) { $0.heartbeatCount == 3 }
            #expect(reader.lastID != first)
            #expect(reader.resetCount == 1 && reader.messages == [])
        }
    }

    @Test func streamEndsWhenTheClientGoes() async throws {
        try await withServer { realm, client in
            let read = Task {
                var reader = RoomReader()
                try await reader.read("news", at: client.address)
            }
            try await eventually { realm.stats().streams == 1 }
            read.cancel()
            try await eventually { realm.stats().streams == 0 }
        }
    }

    @Test func cursorThatIsTooOldOrForeignGetsAReset() async throws {
        try await withServer(isInMemory: true) { _, client in
            var reader = RoomReader()
            try await reader.read("news", at: client.address) { $0.resetCount == 1 }
            let old = try #require(reader.lastID)
            for text in ["one", "two"] { try await client.post(text, in: "news") }
            for cursor in [old, String(repeating: "0", count: 32) + "-1"] {
                var stale = RoomReader(lastID: cursor)
                try await stale.read("news", at: client.address) { $0.resetCount == 1 }
                #expect(stale.received == [1, 2])
                #expect(stale.lastID != cursor)
            }
        }
    }

    /// Runs a server with an empty room "news".
    ///
    /// - Parameter isInMemory: Whether the realm is in memory, and so has no history: all cursors
    ///   but the newest are too old.
    private func withServer(
        isInMemory: Bool = false, heartbeat: Duration = .seconds(15),
        _ test: @escaping @Sendable (Realm, BoardClient) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        var configuration = Realm.Configuration(
            location: .file(folder.realm), objectTypes: Board.objectTypes)
        if isInMemory { configuration.location = .inMemory(identifier: folder.realm.path) }
        configuration.logger = .quiet
        let realm = try await Realm.open(configuration)
        let application = Board(realm: realm).application(heartbeat: heartbeat, logger: .quiet)
        try await application.test(.live) { server in
            let port = try #require(server.port)
            let client = BoardClient(address: "http://localhost:\(port)")
            try await client.createRoom("news")
            try await test(realm, client)
        }
        await realm.close()
    }
}

import Foundation
import Testing

/// Several server processes on one realm.
@Suite(.serialized) struct BoardProcessTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func serversOnOneRealmBehaveAsOne() async throws {
        let (first, second) = try await startTwo()
        let client = BoardClient(address: first.address)
        let other = BoardClient(address: second.address)
        async let reading = {
            var reader = RoomReader()
            try await reader.read("news", at: second.address) { $0.messages.count == 3 }
            return reader
        }()
        async let waiting = other.send("/rooms/news/wait?seconds=20")
        for text in ["one", "two"] { try await client.post(text, in: "news", as: "Ann") }
        try await other.post("three", in: "news", as: "Bob")
        #expect(try await reading.messages.map(\.text) == ["one", "two", "three"])
        #expect(try await waiting.body.contains("one"))
        #expect(try await other.messages(in: "news").map(\.author) == ["Ann", "Ann", "Bob"])
        let health = try await other.send("/health")
        #expect(health.status == 200)
        #expect(health.body.contains(#""commitsOfOthers":3"#), "\(health.body)")
    }

    @Test func killedServerIsResumedWithoutGapsOrRepeats() async throws {
        var (first, second) = try await startTwo()
        let client = BoardClient(address: second.address)
        let (port, address) = (first.port, first.address)
        let posts = Task {
            for number in 1...300 {
                try await client.post("\(number)", in: "news")
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        let reading = Task {
            var reader = RoomReader()
            var breaks = 0
            while reader.messages.count < 300 {
                do {
                    let isDone = try await reader.read("news", at: address) {
                        $0.messages.count == 300
                    }
                    if !isDone { breaks += 1 }
                } catch {
                    breaks += 1
                }
                try await Task.sleep(for: .milliseconds(10))
            }
            return (reader, breaks)
        }
        for _ in 1...3 {
            try await Task.sleep(for: .milliseconds(300))
            await first.end(with: SIGKILL)
            try await Task.sleep(for: .milliseconds(100))
            first = try await BoardProcess(realm: folder.realm, port: port)
        }
        try await posts.value
        let (reader, breaks) = try await reading.value
        #expect(reader.received == Array(1...300))
        #expect(reader.messages == (try await client.messages(in: "news")))
        #expect(reader.resetCount == 1)
        #expect(breaks > 0)
        withExtendedLifetime((first, second)) {}
    }

    @Test func signalEndsStreamsAndRunningRequests() async throws {
        let server = try await BoardProcess(realm: folder.realm)
        let client = BoardClient(address: server.address)
        try await client.createRoom("news")
        try await client.post("one", in: "news")
        let (opened, continuation) = AsyncStream.makeStream(of: Void.self)
        let readers = (1...5).map { _ in
            Task {
                var reader = RoomReader()
                try await reader.read("news", at: server.address) { _ in
                    continuation.yield()
                    return false
                }
                return reader
            }
        }
        // `retry` and `reset`, for each of them
        var opens = opened.makeAsyncIterator()
        for _ in 1...10 { await opens.next() }
        async let waiting = client.send("/rooms/news/wait?after=1&seconds=60")
        try await eventually {
            try await client.send("/health").body.contains(#""streams":6"#)
        }
        let start = ContinuousClock.now
        #expect(await server.end(with: SIGTERM) == 0)
        #expect(ContinuousClock.now - start < .seconds(5))
        for reader in readers { #expect(try await reader.value.messages.count == 1) }
        let waited = try await waiting
        #expect(waited.status == 200)
        #expect(waited.body.contains(#""messages":[]"#))
    }

    @Test func damageMakesOnlyTheServerThatFindsItUnhealthy() async throws {
        let (first, second) = try await startTwo()
        second.send(SIGSTOP)
        try await BoardClient(address: first.address).post("damaged", in: "news")
        try folder.damage("damaged")
        second.send(SIGCONT)
        let other = BoardClient(address: second.address)
        try await eventually { try await other.send("/health").status == 503 }
        #expect(try await other.send("/health").body.contains(#""problem":"#))
        // This server has the message in memory.
        #expect(try await BoardClient(address: first.address).send("/health").status == 200)
    }

    /// Starts two servers that both have an empty room "news".
    func startTwo() async throws -> (BoardProcess, BoardProcess) {
        async let starting = BoardProcess(realm: folder.realm)
        let second = try await BoardProcess(realm: folder.realm)
        let first = try await starting
        try await BoardClient(address: first.address).createRoom("news")
        // A server sees a commit of another one a few milliseconds later.
        let other = BoardClient(address: second.address)
        try await eventually { try await other.send("/rooms").body.contains("news") }
        return (first, second)
    }
}

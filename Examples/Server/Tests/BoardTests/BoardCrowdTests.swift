import Foundation
import Testing

/// Many clients of two servers, one of which is killed again and again.
extension BoardProcessTests {
    @Test(.timeLimit(.minutes(15)))
    func manyClientsGetTheWholeRoom() async throws {
        try raiseDescriptorLimit()
        let crowd = Crowd()
        let (survivor, second) = try await startTwo()
        let client = BoardClient(address: survivor.address)
        let addresses = [survivor.address, second.address]
        let idle = try survivor.usage()
        async let reading = crowd.read("news", at: addresses)
        var openCount = 0
        while openCount < crowd.clientCount {
            try await Task.sleep(for: .milliseconds(100))
            openCount = 0
            for address in addresses {
                openCount += try await BoardClient(address: address).streamCount()
            }
        }
        let killing = Task {
            var (killed, marks) = (second, [BoardProcess.Usage]())
            while true {
                try? await Task.sleep(for: .seconds(4))
                if Task.isCancelled { return (killed, marks) }
                await killed.end(with: SIGKILL)
                try? await Task.sleep(for: .seconds(1))
                marks.append(try survivor.usage())
                killed = try await BoardProcess(realm: folder.realm, port: second.port)
            }
        }
        defer { killing.cancel() }
        try await crowd.post(in: "news", at: addresses)
        killing.cancel()
        let (killed, marks) = try await killing.value
        try await client.post(Crowd.lastText, in: "news")
        let readers = try await reading
        let history = try await client.messages(in: "news")
        #expect(history.map(\.number) == Array(1...history.count))
        for (index, reader) in readers.enumerated() {
            let isComplete =
                reader.messages == history && reader.resetCount == 1
                && reader.received == Array(1...history.count)
            #expect(
                isComplete,
                """
                Client \(index) has \(reader.messages.count) of \(history.count) messages; \
                it received \(reader.received.count), and \(reader.resetCount) resets.
                """)
        }

        try await eventually { try await client.streamCount() == 0 }
        let without = try survivor.usage()
        let streamCount = readers.map(\.streamCount).reduce(0, +)
        print(
            """
            \(readers.count) clients opened \(streamCount) streams and have \(history.count) \
            messages. The server that wasn't killed:
            \(([idle] + marks + [without]).map { "    \($0)" }.joined(separator: "\n"))
            """)
        // Each mark is of a time at which the server has most of the clients.
        let half = try #require(marks.dropFirst(marks.count / 2).first)
        let last = try #require(marks.last)
        #expect(without.peak < half.peak + half.peak / 5 + 16)
        #expect(last.threads <= half.threads + 8)
        #expect(without.descriptors <= idle.descriptors + 16)
        for server in [survivor, killed] { #expect(await server.end(with: SIGTERM) == 0) }
    }
}

/// The clients of a room and those who post in it. The size depends on `REGNUM_EFFORT`, as that of
/// Regnum's own tests does: it is 1 in a normal run and 10 in the soak.
private struct Crowd {
    static let lastText = "This is the last message."

    let clientCount: Int
    let duration: Duration
    private let text: String
    private let pause: Duration

    init() {
        let effort = ProcessInfo.processInfo.environment["REGNUM_EFFORT"].flatMap(Double.init) ?? 1
        let isSoak = effort > 1
        clientCount = isSoak ? Int(100 * effort) : 100
        duration = .seconds(isSoak ? 12 * effort : 20)
        // A client that stalls leaves more unread than the buffers of its connection hold.
        text = String(repeating: "x", count: isSoak ? 400 : 2_000)
        pause = .milliseconds(isSoak ? 500 : 150)
    }

    /// Posts at both servers, at least 50 times at each of them. What is posted while one is killed
    /// may or may not be in the room.
    func post(in room: String, at addresses: [String]) async throws {
        let end = ContinuousClock.now + duration
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (server, address) in addresses.enumerated() {
                group.addTask {
                    var count = 0
                    while count < 50 || ContinuousClock.now < end {
                        count += 1
                        do {
                            try await BoardClient(address: address).post(text, in: room)
                        } catch {
                            if server == 0 { throw error }
                        }
                        try await Task.sleep(for: pause)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Reads as all clients, until each has the last message.
    func read(_ room: String, at addresses: [String]) async throws -> [RoomReader] {
        try await withThrowingTaskGroup(of: RoomReader.self) { group in
            for index in 0..<clientCount {
                group.addTask { try await read(room, at: addresses, as: index) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Reads as one client. A third of them stay; a third disconnect now and then, and resume at
    /// the other server; and a third stop reading now and then, for a quarter of the time.
    private func read(
        _ room: String, at addresses: [String], as index: Int
    ) async throws -> RoomReader {
        var reader = RoomReader()
        var turn = index
        while reader.messages.last?.text != Self.lastText {
            var next = reader.messages.count + 10 + index % 50
            do {
                try await reader.read(room, at: addresses[turn % 2]) { reader in
                    if reader.messages.last?.text == Self.lastText { return true }
                    guard index % 3 > 0, reader.messages.count >= next else { return false }
                    if index % 3 == 1 { return true }
                    next = reader.messages.count + 10 + index % 50
                    try await Task.sleep(for: duration / 4)
                    return false
                }
            } catch let error as DecodingError {
                throw error
            } catch {  // The server was killed, or isn't running.
                try await Task.sleep(for: .milliseconds(100))
            }
            turn += 1
        }
        return reader
    }
}

private func raiseDescriptorLimit() throws {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    try #require(getrlimit(resource, &limit) == 0)
    limit.rlim_cur = limit.rlim_max
    try #require(setrlimit(resource, &limit) == 0)
}

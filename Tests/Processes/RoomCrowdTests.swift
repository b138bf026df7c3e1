import Foundation
import Glibc
import Regnum
import RegnumTestSupport
import Testing

/// Many clients of two servers that share a realm, one of which is killed and started again.
/// Clients disconnect, stall and resume meanwhile, also at the other server.
///
/// The moments also depend on the machine, so a seed doesn't repeat a run exactly.
@Suite(.serialized) struct RoomCrowdTests {
    private static let clientCount = Effort.count(gate: 100, soak: 1_000)
    private static let killCount = Effort.count(gate: 8, soak: 30)
    /// The number of messages posted between two starts of the server that is killed.
    private static let messageCount = 60
    private static let rooms = ["general", "news", "random", "support"]

    // Covers 13.2, O3, O27, O33
    @Test(.timeLimit(.minutes(10)))
    func everyClientGetsTheHistoryOfItsRoomOnce() async throws {
        var random = SeededRandom()
        let start = ContinuousClock.now
        try await withChildren { group in
            let realm = try await Realm.test(group.realm)
            let sockets = ["first", "second"].map { group.directory.appending(path: $0).path }
            let survivor = try group.start("serve", sockets[0])
            var killed = try group.start("serve", sockets[1])
            for server in [survivor, killed] { try await expectEqual(server.lines(1), ["ready"]) }

            // What the runtime and the library keep after their first clients isn't counted.
            let unused = try ProcessUsage(survivor)
            let visitors = try RoomCrowd(
                16, of: Self.rooms, until: "welcome", at: sockets, random.next())
            defer { visitors.cancel() }
            for room in Self.rooms { try await realm.post("welcome", in: room) }
            visitors.tell { $0.isPosting = false }
            _ = try await visitors.end()
            try await waitForNone(of: "sockets of visitors") {
                try ProcessUsage(survivor).socketCount - unused.socketCount
            }
            let before = try ProcessUsage(survivor)

            let crowd = try RoomCrowd(
                Self.clientCount, of: Self.rooms, until: "goodbye", at: sockets, random.next())
            defer { crowd.cancel() }
            var marks: [ProcessUsage] = []
            for _ in 0..<Self.killCount {
                try await crowd.waitForMoved(Self.clientCount / 4)
                let killPoint = 10 + random.below(20)
                let startPoint = killPoint + 10 + random.below(20)
                for number in 0..<Self.messageCount {
                    if number == killPoint {
                        marks.append(try ProcessUsage(survivor))
                        try require(killed.isRunning, "exited: \(killed.description)")
                        killed.signal(SIGKILL)
                    } else if number == startPoint {
                        try await expectEqual(killed.end(), .killed(signal: SIGKILL))
                        killed = try group.start("serve", sockets[1])
                        group.forgetEnded()
                    }
                    let room = random.oneOf(Self.rooms)
                    let text = String(repeating: "x", count: 50 + random.below(350))
                    try await realm.post(text, in: room)
                    crowd.tell { $0.postedCounts[room, default: 1] += 1 }
                    try await Task.sleep(for: .microseconds(random.below(20_000)))
                }
                try await expectEqual(killed.lines(1), ["ready"])
                crowd.tell { $0.startCount += 1 }
            }
            for room in Self.rooms { try await realm.post("goodbye", in: room) }
            crowd.tell { $0.isPosting = false }
            let clients = try await crowd.end()

            try await waitForNone(of: "sockets of clients") {
                try ProcessUsage(survivor).socketCount - before.socketCount
            }
            // Idle threads end after some seconds.
            try await waitForNone(of: "threads or descriptors more") {
                let usage = try ProcessUsage(survivor)
                return max(0, usage.threadCount - before.threadCount)
                    + max(0, usage.descriptorCount - before.descriptorCount)
            }
            let after = try ProcessUsage(survivor)
            checkHistories(clients, realm)
            let waitCount = try await end([survivor, killed])
            let messageCount = realm.snapshot().objects(Message.self).count
            await realm.close()
            report(clients, messageCount, waitCount, [before] + marks + [after])
            checkMemory(marks, after)
            print("\(start.duration(to: .now))")
        }
    }

    /// Each client has all messages of its room, in the order in which they were committed.
    private func checkHistories(_ clients: [CrowdClient], _ realm: Realm) {
        let messages = realm.snapshot().objects(Message.self)
        let histories = Dictionary(grouping: messages, by: \.room)
            .mapValues { $0.map { "\($0.messageID) \($0.text)" } }
        for (number, client) in clients.enumerated() {
            let history = histories[client.room] ?? []
            let commonCount = zip(client.messages, history).prefix { $0 == $1 }.count
            expectTrue(
                client.messages == history,
                """
                Client \(number) has \(client.messages.count) messages, and its room \
                \(history.count), of which the first \(commonCount) are the same
                """)
        }
    }

    /// Ends the servers, which have no streams left, and returns how often they have waited for
    /// clients to read.
    private func end(_ servers: [ChildProcess]) async throws -> Int {
        var waitCount = 0
        for server in servers { server.signal(SIGTERM) }
        for server in servers {
            try await server.expectSuccess()
            let counts = try await server.lines(2)[1].split(separator: " ").compactMap { Int($0) }
            expectEqual(counts.first, 0)
            waitCount += counts.last ?? 0
        }
        return waitCount
    }

    private func report(
        _ clients: [CrowdClient], _ messageCount: Int, _ waitCount: Int, _ usages: [ProcessUsage]
    ) {
        var total = CrowdClient.Statistics()
        for client in clients { total += client.statistics }
        print(
            """
            \(clients.count) clients opened \(total.streams) streams, of which \(total.resumes) \
            resumed and \(total.breaks) ended in \(Self.killCount) kills, within an element \
            \(total.partialElements) times; they stalled \(total.stalls) times, and the servers \
            waited for them \(waitCount) times. The rooms have \(messageCount) messages. The \
            server that wasn't killed, before, at the kills and afterwards:
            \(usages.map { "    \($0)" }.joined(separator: "\n"))
            """)
        if Effort.isReduced { return }
        expectTrue(total.resumes > 0 && total.breaks > 0 && total.stalls > 0 && waitCount > 0)
    }

    /// Memory doesn't grow with the number of kills and messages. It does at first, until as many
    /// versions and streams are in use as ever will be, which the gate's kills are too few for.
    private func checkMemory(_ marks: [ProcessUsage], _ after: ProcessUsage) {
        if !Effort.isSoak { return }
        let half = marks.prefix((marks.count + 1) / 2).map(\.memoryKiB).max() ?? 0
        let most = (marks.map(\.memoryKiB) + [after.memoryKiB]).max() ?? 0
        expectTrue(most <= half + half / 5 + 16 << 10, "\(half), then \(most) KiB")
    }
}

/// What a child takes from the system.
private struct ProcessUsage: CustomStringConvertible {
    /// The resident memory without mapped files.
    let memoryKiB: Int
    let threadCount: Int
    let descriptorCount: Int
    let socketCount: Int

    init(_ child: ChildProcess) throws {
        let folder = "/proc/\(child.pid)"
        let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8)
            .split(separator: "\n")
        func number(_ name: String) throws -> Int {
            let line = try requireValue(status.first { $0.hasPrefix("\(name):") })
            return try requireValue(Int(line.filter(\.isNumber)))
        }
        memoryKiB = try number("RssAnon")
        threadCount = try number("Threads")
        let files = FileManager.default
        let descriptors = try files.contentsOfDirectory(atPath: "\(folder)/fd")
        descriptorCount = descriptors.count
        socketCount = descriptors.count { name in
            // A descriptor may be closed in the meantime.
            let target = try? files.destinationOfSymbolicLink(atPath: "\(folder)/fd/\(name)")
            return target?.hasPrefix("socket:") == true
        }
    }

    var description: String {
        "\(memoryKiB >> 10) MiB, \(threadCount) threads, \(descriptorCount) descriptors, "
            + "\(socketCount) of sockets"
    }
}

extension Realm {
    fileprivate func post(_ text: String, in room: String) async throws {
        try await write { tx in
            let message = Message()
            message.room = room
            message.author = "ann"
            message.text = text
            try tx.add(message)
        }
    }
}

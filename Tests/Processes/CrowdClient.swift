import RegnumTestSupport

@testable import RegnumCrashChild

/// A client of one of two servers, which reads the messages of a room up to one with a given text.
/// Now and then it disconnects, to resume at either server, or stops reading until many more
/// messages have been posted.
struct CrowdClient: Sendable {
    /// What the client is told before each of its steps.
    struct Orders: Sendable {
        /// The number of messages posted in each room.
        var postedCounts: [String: Int] = [:]
        /// Whether more messages will be posted.
        var isPosting = true
        /// How often the second server was started. Each time, half of the clients move there.
        var startCount = 1
    }

    struct Statistics: Sendable {
        var streams = 0
        var resumes = 0
        var stalls = 0
        /// The number of streams that ended with their server.
        var breaks = 0
        /// The number of connections that ended within an element of several messages.
        var partialElements = 0

        static func += (left: inout Statistics, right: Statistics) {
            left.streams += right.streams
            left.resumes += right.resumes
            left.stalls += right.stalls
            left.breaks += right.breaks
            left.partialElements += right.partialElements
        }
    }

    let room: String
    /// The messages received, each as its id and text.
    private(set) var messages: [String] = []
    private(set) var isDone = false
    private(set) var statistics = Statistics()
    /// The value of `startCount` for which the client has moved to the second server and has a
    /// stream there.
    private(set) var movedAtStart = 0

    private let number: Int
    private let lastText: String
    /// The sockets of the two servers.
    private let servers: [String]
    private var random: SeededRandom
    private var server = 0
    private var seenStart = 0
    private var socket: LocalSocket?
    private var cursor = ""
    /// The messages received of an element that isn't complete, and the beginning of a line.
    private var unfinished: [String] = []
    private var rest: [UInt8] = []
    /// The number of received messages after which the client does something else.
    private var turn = 0
    /// The number of posted messages until which the client doesn't read.
    private var stallEnd: Int?

    init(
        _ number: Int, of room: String, until lastText: String, _ servers: [String], _ seed: UInt64
    ) {
        (self.number, self.room, self.lastText, self.servers) = (number, room, lastText, servers)
        random = SeededRandom(seed)
        turn = random.below(10)
    }

    /// The descriptor to wait for, if the client reads.
    var awaited: Int32? { stallEnd == nil ? socket?.descriptor : nil }

    /// Ends a stall whose time has come, and connects if there is no connection.
    mutating func prepare(_ orders: Orders) throws {
        if isDone { return }
        if orders.startCount != seenStart {
            seenStart = orders.startCount
            if (number + seenStart) % 2 == 0 {
                disconnect()
                server = 1
            }
        }
        if let end = stallEnd, !orders.isPosting || orders.postedCounts[room, default: 0] >= end {
            stallEnd = nil
        }
        if socket == nil { try connect() }
    }

    private mutating func connect() throws {
        guard let socket = try LocalSocket(connectingTo: servers[server]) else {
            // The second server was killed.
            try require(server == 1, "the server that isn't killed refuses client \(number)")
            server = 0
            return
        }
        let request = Array("\(room) \(cursor)\n".utf8)
        self.socket = socket
        if socket.send(request[...]) != request.count { try end() }
    }

    /// Reads some of what has arrived.
    mutating func read() throws {
        guard let bytes = socket?.read() else { return }
        if bytes.isEmpty { return try end() }
        var lines = (rest + bytes).split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Array(lines.removeLast())
        for line in lines { try receive(String(decoding: line, as: UTF8.self)) }
        if messages.last?.hasSuffix(" \(lastText)") == true {
            isDone = true
            disconnect()
        } else if messages.count >= turn {
            turn = messages.count + 5 + random.below(25)
            switch random.below(3) {
            case 0:
                disconnect()
                server = random.below(2)
            case 1:
                statistics.stalls += 1
                stallEnd = messages.count + 20 + random.below(20)
            default: break
            }
        }
    }

    private mutating func receive(_ line: String) throws {
        if line == "open" {
            statistics.streams += 1
            if !cursor.isEmpty { statistics.resumes += 1 }
            if server == 1 { movedAtStart = seenStart }
            return
        }
        let fields = line.split(separator: " ")
        guard fields.first != "error", fields.count == 2 || fields.count == 3 else {
            throw ChildFailure("client \(number) received: \(line)")
        }
        unfinished.append("\(fields[0]) \(fields[1])")
        if fields.count == 3 {
            messages += unfinished
            unfinished = []
            cursor = String(fields[2])
        }
    }

    /// Handles the end of the connection, which only a killed server may bring about.
    private mutating func end() throws {
        try require(server == 1, "the server that isn't killed disconnected client \(number)")
        statistics.breaks += 1
        disconnect()
        server = 0
    }

    /// Disconnects. What was received of an incomplete element will be received again.
    mutating func disconnect() {
        if !unfinished.isEmpty { statistics.partialElements += 1 }
        socket?.close()
        (socket, unfinished, rest, stallEnd) = (nil, [], [], nil)
    }
}

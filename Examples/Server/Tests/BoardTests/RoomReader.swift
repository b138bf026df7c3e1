import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

/// A message as clients receive it.
struct ReceivedMessage: Decodable, Hashable, Sendable {
    var number: Int
    var author: String
    var text: String
}

/// A page of messages as clients receive it.
struct ReceivedPage: Decodable {
    var messages: [ReceivedMessage]
    var cursor: String?
}

/// A client of a room's events. Like the page, it keeps the room's messages as of the last event,
/// and the identifier of that event.
struct RoomReader: Sendable {
    var messages: [ReceivedMessage] = []
    var lastID: String?
    /// The numbers of the messages in all events, in the order in which they were received.
    var received: [Int] = []
    var resetCount = 0
    /// The number of streams that were opened.
    var streamCount = 0
    var heartbeatCount = 0

    /// The part of a change set that is needed to apply it.
    private struct Change: Decodable {
        struct Modification: Decodable { var new: ReceivedMessage }

        var deletions: [Int]
        var insertions: [Int]
        var inserted: [ReceivedMessage]
        var newModifications: [Int]
        var modified: [Modification]
    }

    /// Opens the event stream of a room, from the last event on, and reads until a condition holds,
    /// or to the end of the stream. While the condition is evaluated, nothing is read.
    ///
    /// - Returns: Whether the condition holds.
    /// - Throws: The error with which the connection broke.
    @discardableResult
    mutating func read(
        _ room: String, at address: String,
        until isDone: (RoomReader) async throws -> Bool = { _ in false }
    ) async throws -> Bool {
        var request = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/rooms/\(room)/events")
        request.headers.add(name: "Host", value: "board")
        if let lastID { request.headers.add(name: "Last-Event-ID", value: lastID) }
        let connection = try await Self.connect(to: try #require(URL(string: address)))
        streamCount += 1
        return try await connection.executeThenClose { parts, requests in
            try await requests.write(.head(request))
            try await requests.write(.end(nil))
            var rest = Data()
            for try await part in parts {
                if case .head(let head) = part { try #require(head.status == .ok) }
                guard case .body(let buffer) = part else { continue }
                rest.append(contentsOf: buffer.readableBytesView)
                while let end = rest.range(of: Data("\n\n".utf8)) {
                    try apply(String(decoding: rest[..<end.lowerBound], as: UTF8.self))
                    rest = Data(rest[end.upperBound...])
                    if try await isDone(self) { return true }
                }
            }
            return try await isDone(self)
        }
    }

    /// Connects with small buffers, so that a reader that stalls soon holds up the server.
    private static func connect(
        to address: URL
    ) async throws -> NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart> {
        try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.socketOption(.so_rcvbuf), value: 16_384)
            .channelOption(.tcpOption(.init(rawValue: TCP_MAXSEG)), value: 1_024)
            .connect(host: address.host ?? "", port: address.port ?? 80) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                }
            }
    }

    /// Applies an event, given without its last line break.
    private mutating func apply(_ event: String) throws {
        var fields: [Substring: String] = [:]
        for line in event.split(separator: "\n") {
            let parts = line.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
            fields[parts[0]] = String(parts.last ?? "")
        }
        if let id = fields["id"] { lastID = id }
        if fields[""] == "heartbeat" { heartbeatCount += 1 }
        let data = Data((fields["data"] ?? "").utf8)
        switch fields["event"] {
        case "reset":
            resetCount += 1
            messages = try JSONDecoder().decode([ReceivedMessage].self, from: data)
            received += messages.map(\.number)
        case "append":
            let more = try JSONDecoder().decode([ReceivedMessage].self, from: data)
            messages += more
            received += more.map(\.number)
        case "change":
            let change = try JSONDecoder().decode(Change.self, from: data)
            for place in change.deletions.reversed() { messages.remove(at: place) }
            for (place, message) in zip(change.insertions, change.inserted) {
                messages.insert(message, at: place)
            }
            for (place, modification) in zip(change.newModifications, change.modified) {
                messages[place] = modification.new
            }
            received += change.inserted.map(\.number)
        default: break
        }
    }
}

/// A client of the other routes.
struct BoardClient: Sendable {
    var address: String

    /// The client of all tests.
    static let http = HTTPClient(eventLoopGroupProvider: .singleton)

    /// Sends a request, with a body if there is one to post, and returns the status and the body.
    func send(_ path: String, _ body: String? = nil) async throws -> (status: Int, body: String) {
        var request = HTTPClientRequest(url: address + path)
        if let body {
            request.method = .POST
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await Self.http.execute(request, timeout: .seconds(120))
        let buffer = try await response.body.collect(upTo: 1 << 24)
        return (Int(response.status.code), String(buffer: buffer))
    }

    func createRoom(_ name: String) async throws {
        let status = try await send("/rooms", #"{"name": "\#(name)"}"#).status
        try #require(status == 201)
    }

    func post(_ text: String, in room: String, as author: String = "Ann") async throws {
        let body = #"{"author": "\#(author)", "text": "\#(text)"}"#
        let response = try await send("/rooms/\(room)/messages", body)
        try #require(response.status == 201, "\(response.body)")
    }

    /// Returns the number of streams that the server has open.
    func streamCount() async throws -> Int {
        struct Health: Decodable { var streams: Int }
        let body = try await send("/health").body
        return try JSONDecoder().decode(Health.self, from: Data(body.utf8)).streams
    }

    /// Returns all messages of a room, page by page.
    func messages(in room: String) async throws -> [ReceivedMessage] {
        var messages: [ReceivedMessage] = []
        while true {
            let path = "/rooms/\(room)/messages?after=\(messages.last?.number ?? 0)"
            let body = try await send(path).body
            let page = try JSONDecoder().decode(ReceivedPage.self, from: Data(body.utf8))
            messages += page.messages
            if page.cursor != nil { return messages }
        }
    }
}

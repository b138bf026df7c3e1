import BoardKit
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Regnum
import Testing

/// Each route with good and bad input, without a network.
@Suite struct BoardRouteTests {
    @Test func roomsAreCreatedAndListed() async throws {
        try await withBoard { client in
            #expect(try await client.get("/rooms").text == "[]")
            let created = try await client.post("/rooms", #"{"name": "news", "topic": "All"}"#)
            #expect(created.status == .created)
            let news = ReceivedRoom(name: "news", topic: "All", messageCount: 0)
            #expect(try created.decoded(as: ReceivedRoom.self) == news)
            try await client.post("/rooms", #"{"name": "arts"}"#)
            let rooms = try await client.get("/rooms").decoded(as: [ReceivedRoom].self)
            #expect(rooms == [ReceivedRoom(name: "arts", topic: "", messageCount: 0), news])
        }
    }

    @Test func messagesArePagedByNumber() async throws {
        try await withBoard { client in
            try await client.post("/rooms", #"{"name": "news"}"#)
            for number in 1...5 {
                let posted = try await client.post(
                    "/rooms/news/messages", #"{"author": "Ann", "text": "text \#(number)"}"#)
                #expect(posted.status == .created)
                #expect(posted.text.contains(#""number":\#(number)"#))
            }
            let all = try await client.get("/rooms/news/messages").page
            #expect(all.messages.map(\.number) == [1, 2, 3, 4, 5])
            #expect(all.messages.last?.text == "text 5")
            let first = try await client.get("/rooms/news/messages?after=1&limit=2").page
            #expect(first.messages.map(\.number) == [2, 3])
            #expect(first.cursor == nil)
            let rest = try await client.get("/rooms/news/messages?after=3&limit=2").page
            #expect(rest.messages.map(\.number) == [4, 5])
            #expect(rest.cursor == all.cursor)
            let none = try await client.get("/rooms/news/messages?after=5").page
            #expect(none.messages == [])
        }
    }

    @Test func waitReturnsWhatIsThereOrWhatComes() async throws {
        try await withBoard { client in
            try await client.post("/rooms", #"{"name": "news"}"#)
            try await client.post("/rooms/news/messages", #"{"author": "Ann", "text": "one"}"#)
            let there = try await client.get("/rooms/news/wait").page
            #expect(there.messages.map(\.text) == ["one"])
            let nothing = try await client.get("/rooms/news/wait?after=1&seconds=0")
            #expect(nothing.status == .ok)
            #expect(try nothing.page.messages == [])

            async let waiting = client.get("/rooms/news/wait?after=1&seconds=20")
            try await Task.sleep(for: .milliseconds(100))
            try await client.post("/rooms/news/messages", #"{"author": "Bob", "text": "two"}"#)
            #expect(try await waiting.page.messages.map(\.text) == ["two"])
        }
    }

    @Test func badInputIsExplained() async throws {
        let long = String(repeating: "x", count: 4_001)
        let bodies: [(path: String, body: String, status: Int, message: String)] = [
            ("/rooms", "", 400, "JSON"),
            ("/rooms", #"{"name": 1}"#, 400, "name"),
            ("/rooms", #"{"topic": "x"}"#, 400, "name"),
            ("/rooms", #"{"name": "news", "topic": []}"#, 400, "topic"),
            ("/rooms", #"{"name": ""}"#, 400, "name: must be 1 to 40"),
            ("/rooms", #"{"name": "a/b"}"#, 400, "name: must be 1 to 40"),
            ("/rooms", #"{"name": "here"}"#, 409, "name: the room here already exists"),
            ("/rooms/here/messages", #"{"text": "x"}"#, 400, "author"),
            ("/rooms/here/messages", #"{"author": "Ann"}"#, 400, "text"),
            ("/rooms/here/messages", #"{"author": "", "text": "x"}"#, 400, "author: must have 1"),
            ("/rooms/here/messages", #"{"author": "Ann", "text": ""}"#, 400, "text: must have 1"),
            (
                "/rooms/here/messages", #"{"author": "Ann", "text": "\#(long)"}"#, 400,
                "text: must have 1 to 4000 characters, not 4001"
            ),
            ("/rooms/gone/messages", #"{"author": "Ann", "text": "x"}"#, 404, "no room gone"),
        ]
        let paths: [(path: String, status: Int, message: String)] = [
            ("/rooms/gone/messages", 404, "no room gone"),
            ("/rooms/gone/wait?seconds=0", 404, "no room gone"),
            ("/rooms/gone/events", 404, "no room gone"),
            ("/rooms/here/messages?after=x", 400, "after: must be a number from 0"),
            ("/rooms/here/messages?after=-1", 400, "after"),
            ("/rooms/here/messages?limit=0", 400, "limit: must be a number from 1 to 1000"),
            ("/rooms/here/messages?limit=1001", 400, "limit"),
            ("/rooms/here/wait?seconds=61", 400, "seconds: must be a number from 0 to 60"),
            ("/rooms/here/wait?after=", 400, "after"),
            ("/rooms/here/events?lastEventID=yesterday", 400, "Last-Event-ID"),
            ("/elsewhere", 404, ""),
        ]
        try await withBoard { client in
            try await client.post("/rooms", #"{"name": "here"}"#)
            for (path, body, status, message) in bodies {
                let response = try await client.post(path, body)
                #expect(response.status.code == status, "\(path) \(body.prefix(60))")
                #expect(response.text.contains(message), "\(path) \(body.prefix(60))")
            }
            for (path, status, message) in paths {
                let response = try await client.get(path)
                #expect(response.status.code == status, "\(path)")
                #expect(message.isEmpty || response.text.contains(message), "\(path)")
                #expect(response.headers[try #require(HTTPField.Name("X-Request-ID"))] != nil)
            }
        }
    }

    @Test func pageAndHealthAreServed() async throws {
        try await withBoard { client in
            let page = try await client.get("/")
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(page.text.contains("new EventSource"))
            let health = try await client.get("/health")
            #expect(health.status == .ok)
            #expect(health.text.contains(#""commitsOfOthers":0"#))
            #expect(!health.text.contains("problem"))
        }
    }

    @Test func closedRealmIsUnhealthy() async throws {
        let realm = try await Realm.temporary(Board.objectTypes)
        try await Board(realm: realm).application(logger: .quiet).test(.router) { client in
            await realm.close()
            let health = try await client.get("/health")
            #expect(health.status == .serviceUnavailable)
            #expect(health.text.contains("problem"))
            let failed = try await client.post("/rooms", #"{"name": "news"}"#)
            #expect(failed.status == .serviceUnavailable)
            #expect(failed.text.contains("See the log, request "))
        }
    }

    private func withBoard(
        _ test: @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let realm = try await Realm.temporary(Board.objectTypes)
        try await Board(realm: realm).application(logger: .quiet).test(.router, test)
        await realm.close()
    }
}

extension Logger {
    static var quiet: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }
}

extension TestClientProtocol {
    func get(_ path: String) async throws -> TestResponse {
        try await execute(uri: path, method: .get)
    }

    @discardableResult
    func post(_ path: String, _ json: String) async throws -> TestResponse {
        try await execute(uri: path, method: .post, body: ByteBuffer(string: json))
    }
}

extension TestResponse {
    var text: String { String(buffer: body) }

    var page: ReceivedPage { get throws { try decoded(as: ReceivedPage.self) } }

    func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

/// A room as clients receive it.
struct ReceivedRoom: Decodable, Equatable {
    var name: String
    var topic: String
    var messageCount: Int
}

import HTTPTypes
import Hummingbird
import Logging
import Regnum
import ServiceLifecycle

/// The routes of the board.
struct Routes {
    typealias Context = BasicRequestContext

    var board: Board
    var heartbeat: Duration

    func add(to router: Router<Context>) {
        router.get("/", use: page)
        router.get("health", use: health)
        router.group("rooms")
            .get(use: rooms)
            .post(use: createRoom)
            .get(":name/messages", use: messages)
            .post(":name/messages", use: post)
            .get(":name/wait", use: wait)
            .get(":name/events", use: events)
    }

    private func page(_ request: Request, _ context: Context) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.index_html)))
    }

    private func health(
        _ request: Request, _ context: Context
    ) async -> EditedResponse<Health> {
        let health = await board.health()
        return EditedResponse(
            status: health.problem == nil ? .ok : .serviceUnavailable, response: health)
    }

    private func rooms(_ request: Request, _ context: Context) throws -> [RoomSummary] {
        try board.rooms()
    }

    private func createRoom(
        _ request: Request, _ context: Context
    ) async throws -> EditedResponse<RoomSummary> {
        let room = try await request.decode(as: NewRoom.self, context: context)
        try room.validate()
        return EditedResponse(status: .created, response: try await board.create(room))
    }

    private func messages(_ request: Request, _ context: Context) throws -> MessagePage {
        let after = try request.integer("after", in: 0...Int.max, default: 0)
        let limit = try request.integer("limit", in: 1...1_000, default: 100)
        let messages = try board.messages(in: context.parameters.require("name"))
        return try MessagePage(messages.current, after: after, limit: limit)
    }

    private func post(
        _ request: Request, _ context: Context
    ) async throws -> EditedResponse<PostedMessage> {
        let message = try await request.decode(as: NewMessage.self, context: context)
        try message.validate()
        let posted = try await board.post(message, in: context.parameters.require("name"))
        return EditedResponse(status: .created, response: posted)
    }

    /// Long polling. When the server shuts down, the wait ends as if the time had passed.
    private func wait(_ request: Request, _ context: Context) async throws -> MessagePage {
        let after = try request.integer("after", in: 0...Int.max, default: 0)
        let limit = try request.integer("limit", in: 1...1_000, default: 100)
        let seconds = try request.integer("seconds", in: 0...60, default: 25)
        let name = try context.parameters.require("name")
        return try await cancelWhenGracefulShutdown { [board] in
            try await board.wait(in: name, after: after, limit: limit, for: .seconds(seconds))
        }
    }

    private func events(_ request: Request, _ context: Context) throws -> Response {
        let events = RoomEvents(
            messages: try board.messages(in: context.parameters.require("name")),
            cursor: try request.lastEventID(), heartbeat: heartbeat)
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream", .cacheControl: "no-cache",
                .accelBuffering: "no",
            ],
            body: ResponseBody { writer in
                do {
                    // Cancels the task when the client closes the connection.
                    try await request.body.consumeWithCancellationOnInboundClose { _ in
                        try await events.write(to: &writer)
                    }
                } catch {
                    context.logger.info("events ended", metadata: ["error": "\(error)"])
                    throw error
                }
                context.logger.info("events ended")
                try await writer.finish(nil)
            })
    }
}

extension Request {
    /// Returns a number from the query, or a default if it isn't given.
    fileprivate func integer(
        _ name: String, in range: ClosedRange<Int>, default value: Int
    ) throws -> Int {
        guard let text = uri.queryParameters[name[...]] else { return value }
        guard let number = Int(text), range.contains(number) else {
            let numbers =
                range.upperBound == .max
                ? "from \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
            throw HTTPError(
                .badRequest, message: "\(name): must be a number \(numbers), not \"\(text)\".")
        }
        return number
    }

    /// Returns the position of the last event that the client has received. A script that makes a
    /// new `EventSource` can't set the header, and gives `lastEventID` in the query instead.
    fileprivate func lastEventID() throws -> ChangeCursor? {
        let query = uri.queryParameters["lastEventID"].map(String.init)
        guard let text = headers[.lastEventID] ?? query else { return nil }
        guard let cursor = ChangeCursor(text) else {
            throw HTTPError(
                .badRequest, message: "Last-Event-ID: must be the id of an event, not \"\(text)\".")
        }
        return cursor
    }
}

extension HTTPField.Name {
    fileprivate static let lastEventID = Self("Last-Event-ID")!
    /// Keeps nginx from buffering the response.
    fileprivate static let accelBuffering = Self("X-Accel-Buffering")!
}

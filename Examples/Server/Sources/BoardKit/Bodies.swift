import Foundation
import Hummingbird
import Regnum

/// The body of `POST /rooms`.
struct NewRoom: Decodable {
    var name: String
    var topic: String?

    func validate() throws {
        if name.wholeMatch(of: /[a-z0-9-]{1,40}/) == nil {
            throw HTTPError(
                .badRequest,
                message: "name: must be 1 to 40 lowercase letters, digits and hyphens.")
        }
        try topic?.validate(as: "topic", 0...200)
    }
}

/// The body of `POST /rooms/{name}/messages`.
struct NewMessage: Decodable {
    var author: String
    var text: String

    func validate() throws {
        try author.validate(as: "author", 1...40)
        try text.validate(as: "text", 1...4_000)
    }
}

extension String {
    /// Throws an error that names the field if the number of Unicode scalars isn't in a range. The
    /// size of a `Character` has no limit.
    fileprivate func validate(as field: String, _ range: ClosedRange<Int>) throws {
        let count = unicodeScalars.count
        guard range.contains(count) else {
            throw HTTPError(
                .badRequest,
                message: "\(field): must have \(range.lowerBound) to \(range.upperBound) "
                    + "characters, not \(count).")
        }
    }
}

struct RoomSummary: ResponseEncodable {
    var name: String
    var topic: String
    var messageCount: Int
}

struct PostedMessage: ResponseEncodable {
    var number: Int
    var sentAt: Date
}

/// Some of a room's messages, in order.
struct MessagePage: ResponseEncodable {
    var messages: [Frozen<Message>]
    /// The position at which the room's events continue, for `Last-Event-ID`. `nil` if there are
    /// more messages than the page holds.
    var cursor: ChangeCursor?

    init(_ list: FrozenResults<Message>, after number: Int, limit: Int) throws {
        let found = try list.snapshot.read { _ in
            Array(list.where { $0.number > number }.prefix(limit + 1))
        }
        messages = Array(found.prefix(limit))
        cursor = found.count > limit ? nil : list.cursor
    }
}

/// The body of `GET /health`.
struct Health: ResponseEncodable {
    var version: UInt64
    var streams: Int
    var commits: UInt64
    var commitsOfOthers: UInt64
    /// The error that keeps this process from reading the realm or following other processes.
    var problem: String?
}

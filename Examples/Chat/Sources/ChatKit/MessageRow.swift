package import Foundation

/// The content of a message, as it is printed.
package struct MessageContent: Hashable, Sendable {
    package var id: String
    package var room: String
    package var author: String
    package var text: String
    package var sentAt: Date
    package var editedAt: Date?

    package init(
        id: String, room: String, author: String, text: String, sentAt: Date,
        editedAt: Date? = nil
    ) {
        self.id = id
        self.room = room
        self.author = author
        self.text = text
        self.sentAt = sentAt
        self.editedAt = editedAt
    }
}

/// One change of one message, as `chat tail` prints it.
package struct MessageRow: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        case insert
        case update(old: MessageContent)
        case delete
    }

    package var change: Change
    /// The current message; for a deletion, its last state.
    package var message: MessageContent
    /// The version that the change set reached.
    package var version: UInt64
    /// The monotonic time in nanoseconds when the change set was received.
    package var at: UInt64

    package init(change: Change, message: MessageContent, version: UInt64, at: UInt64) {
        self.change = change
        self.message = message
        self.version = version
        self.at = at
    }

    /// One JSON object without a line break. Times are ISO 8601 in UTC with milliseconds.
    package var json: String {
        var object = JSONLine()
        switch change {
        case .insert: object.add("change", "insert")
        case .update: object.add("change", "update")
        case .delete: object.add("change", "delete")
        }
        object.add("id", message.id)
        object.addContent(of: message)
        object.add("version", version)
        if case .update(let old) = change {
            var before = JSONLine()
            before.addContent(of: old)
            object.add("old", before)
        }
        object.add("at", at)
        return object.line
    }

    /// A human-readable line, in the form of a chat log.
    package var line: String {
        let start = "[\(wallClockTime(message.sentAt))] <\(printable(message.author))>"
        return switch change {
        case .insert:
            "\(start) \(message.editedAt == nil ? "" : "(edited) ")\(printable(message.text))"
        case .update(let old):
            "\(start) (edited) \(printable(message.text)) (was: \(printable(old.text)))"
        case .delete: "\(start) (deleted) \(printable(message.text))"
        }
    }
}

/// Returns the cursor from which a reader can resume, as `chat tail --cursors` prints it between
/// the changes.
package func cursorLine(_ cursor: String, json: Bool) -> String {
    guard json else { return "cursor \(cursor)" }
    var object = JSONLine()
    object.add("cursor", cursor)
    return object.line
}

extension JSONLine {
    fileprivate mutating func addContent(of message: MessageContent) {
        add("room", message.room)
        add("author", message.author)
        add("text", message.text)
        add("sentAt", message.sentAt.formatted(timestampStyle))
        if let editedAt = message.editedAt {
            add("editedAt", editedAt.formatted(timestampStyle))
        }
    }
}

private let timestampStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

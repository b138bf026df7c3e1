/// A room, as `chat rooms` prints it.
package struct RoomRow: Hashable, Sendable {
    package enum Change: String, Sendable {
        case insert, update, delete
    }

    package var name: String
    package var topic: String
    package var messageCount: Int
    /// `nil` without a reader.
    package var unreadCount: Int?
    /// The change of the room, in a list that is followed; a deleted room is in its last state.
    package var change: Change?

    package init(
        name: String, topic: String, messageCount: Int, unreadCount: Int? = nil,
        change: Change? = nil
    ) {
        self.name = name
        self.topic = topic
        self.messageCount = messageCount
        self.unreadCount = unreadCount
        self.change = change
    }

    /// A human-readable line.
    package var line: String {
        var parts = [printable(name)]
        if change == .delete { return "\(parts[0])  (deleted)" }
        let unread = unreadCount.map { ", \($0) unread" } ?? ""
        let noun = messageCount == 1 ? "message" : "messages"
        parts.append("\(messageCount) \(noun)\(unread)")
        if !topic.isEmpty { parts.append(printable(topic)) }
        return parts.joined(separator: "  ")
    }

    /// One JSON object without a line break.
    package var json: String {
        var object = JSONLine()
        if let change { object.add("change", change.rawValue) }
        object.add("name", name)
        object.add("topic", topic)
        object.add("messages", messageCount)
        if let unreadCount { object.add("unread", unreadCount) }
        return object.line
    }
}

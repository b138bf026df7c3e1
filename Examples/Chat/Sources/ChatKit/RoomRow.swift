/// A room, as `chat rooms` prints it.
package struct RoomRow: Hashable, Sendable {
    package var name: String
    package var topic: String
    package var messageCount: Int

    package init(name: String, topic: String, messageCount: Int) {
        self.name = name
        self.topic = topic
        self.messageCount = messageCount
    }

    /// A line for people.
    package var line: String {
        let start = "\(printable(name))  \(messageCount) messages"
        return topic.isEmpty ? start : "\(start)  \(printable(topic))"
    }

    /// One JSON object without a line break.
    package var json: String {
        var object = JSONLine()
        object.add("name", name)
        object.add("topic", topic)
        object.add("messages", messageCount)
        return object.line
    }
}

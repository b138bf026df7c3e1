import ChatKit
import Testing

struct RoomRowTests {
    @Test func listShowsTopicAndUnreadMessagesWhereThereAre() {
        var row = RoomRow(name: "news", topic: "", messageCount: 3)
        #expect(row.line == "news  3 messages")
        #expect(row.json == #"{"name":"news","topic":"","messages":3}"#)
        row.topic = "All that\u{1B}"
        row.unreadCount = 2
        #expect(row.line == "news  3 messages, 2 unread  All that\u{FFFD}")
        #expect(row.json == #"{"name":"news","topic":"All that\u001b","messages":3,"unread":2}"#)
    }

    @Test func deletedRoomIsTold() {
        let row = RoomRow(name: "news", topic: "New", messageCount: 3, change: .delete)
        #expect(row.line == "news  (deleted)")
        #expect(row.json.hasPrefix(#"{"change":"delete","name":"news","#))
    }
}

import Testing

/// `chat rooms`, `chat read` and `chat rooms --follow`.
@Suite(.serialized)
struct UnreadTests {
    private let chat: ChatRealm

    init() throws { chat = try ChatRealm() }

    @Test func unreadIsWhatOthersSentSinceOneRead() throws {
        try chat.send("one", as: "Ann")
        let second = try chat.send("two", as: "Ann")
        try chat.send("three", as: "Bob")
        #expect(try rooms("Bob") == ["news  3 messages, 2 unread"])
        #expect(try rooms("Ann") == ["news  3 messages, 1 unread"])

        // A deleted message doesn't count as unread, although it was never read.
        try chat.run("delete", second)
        #expect(try rooms("Bob") == ["news  2 messages, 1 unread"])
        #expect(try read("Bob") == ["<Ann> one"])
        #expect(try read("Bob") == [])
        #expect(try rooms("Bob") == ["news  2 messages, 0 unread"])

        // The last message is read and deleted, and another one is sent: that one is unread.
        let fourth = try chat.send("four", as: "Ann")
        #expect(try read("Bob") == ["<Ann> four"])
        try chat.run("delete", fourth)
        try chat.send("five", as: "Ann")
        #expect(try rooms("Bob") == ["news  3 messages, 1 unread"])
    }

    @Test func listWithoutAReaderHasNoUnreadMessages() throws {
        try chat.send("one", as: "Ann")
        try chat.run("topic", "arts", "Paintings", "and\u{1B}", "more")
        #expect(
            try chat.run("rooms")
                == ["arts  0 messages  Paintings and\u{FFFD} more", "news  1 message"])
        #expect(try rooms("Bob").last == "news  1 message, 1 unread")
    }

    @Test func followedListShowsWhatChangesInIt() throws {
        let id = try chat.send("one", as: "Ann")
        let list = try chat.start("rooms", "--as", "Bob", "--follow")
        #expect(list.line() == "news  1 message, 1 unread")
        try chat.send("two", as: "Ann")
        #expect(list.line() == "news  2 messages, 2 unread")
        // Neither an edit nor another reader's progress changes the list.
        try chat.run("edit", id, "one!")
        try chat.run("read", "news", "--as", "Eve")
        try chat.run("read", "news", "--as", "Bob")
        #expect(list.line() == "news  2 messages, 0 unread")
        try chat.run("topic", "news", "New")
        #expect(list.line() == "news  2 messages, 0 unread  New")
        try chat.run("delete-room", "news")
        #expect(list.line() == "news  deleted")
        try chat.send("three", as: "Ann")
        #expect(list.line() == "news  1 message, 1 unread")
    }

    @Test func missingRoomsAndMessagesAreReported() throws {
        let noRoom = "Error: There is no room nowhere.\n"
        #expect(try chat.fail("read", "nowhere", "--as", "Bob") == (1, noRoom))
        #expect(try chat.fail("delete-room", "nowhere") == (1, noRoom))
        let id = String(repeating: "0", count: 24)
        #expect(try chat.fail("edit", id, "text") == (1, "Error: There is no message \(id).\n"))
    }

    @Test func wrongArgumentsAreRefused() throws {
        let malformed = try chat.fail("delete", "12")
        #expect(malformed.code == 64)
        #expect(malformed.message.contains("\"12\" is not an ObjectId"))
        let nameless = try chat.fail("send", "news", "--as", "", "text")
        #expect(nameless.code == 64 && nameless.message.contains("It must not be empty."))
    }

    private func rooms(_ reader: String) throws -> [String] {
        try chat.run("rooms", "--as", reader)
    }

    private func read(_ reader: String) throws -> [String] {
        try chat.run("read", "news", "--as", reader).map(withoutTime)
    }
}

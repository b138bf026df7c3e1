import Foundation
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
        #expect(try rooms("Bob") == [#"{"name":"news","topic":"","messages":3,"unread":2}"#])
        #expect(try rooms("Ann") == [#"{"name":"news","topic":"","messages":3,"unread":1}"#])

        // A deleted message doesn't count as unread, although it was never read.
        try chat.run("delete", second)
        #expect(try rooms("Bob") == [#"{"name":"news","topic":"","messages":2,"unread":1}"#])
        let unread = try chat.run("read", "news", "--as", "Bob").map { $0.suffix(9) }
        #expect(unread == ["<Ann> one"])
        #expect(try chat.run("read", "news", "--as", "Bob") == [])
        #expect(try rooms("Bob") == [#"{"name":"news","topic":"","messages":2,"unread":0}"#])

        // The last message is deleted and another one is sent: that one is unread.
        try chat.send("four", as: "Ann")
        let read = try chat.run("read", "news", "--as", "Bob", "--json")
        let last = try TailLine(read.last ?? "")
        let id = try #require(last.id)
        try chat.run("delete", id)
        try chat.send("five", as: "Ann")
        #expect(try rooms("Bob") == [#"{"name":"news","topic":"","messages":3,"unread":1}"#])
    }

    @Test func listWithoutAReaderHasNoUnreadMessages() throws {
        try chat.send("one", as: "Ann")
        try chat.run("topic", "arts", "Paintings")
        #expect(
            try chat.run("rooms") == ["arts  0 messages  Paintings", "news  1 message"])
        #expect(try chat.run("rooms", "--as", "Bob").last == "news  1 message, 1 unread")
    }

    @Test func followedListTellsWhatChangesInIt() throws {
        let id = try chat.send("one", as: "Ann")
        let list = try chat.start("rooms", "--as", "Bob", "--follow", "--json")
        func expect(_ change: String, _ rest: String) {
            #expect(list.line() == #"{"change":"\#(change)","name":"news","topic":\#(rest)}"#)
        }
        expect("insert", #""","messages":1,"unread":1"#)
        try chat.send("two", as: "Ann")
        expect("update", #""","messages":2,"unread":2"#)
        // Neither an edit nor another reader's progress changes the list.
        try chat.run("edit", id, "one!")
        try chat.run("read", "news", "--as", "Eve")
        try chat.run("read", "news", "--as", "Bob")
        expect("update", #""","messages":2,"unread":0"#)
        try chat.run("topic", "news", "New")
        expect("update", #""New","messages":2,"unread":0"#)
        try chat.run("delete-room", "news")
        expect("delete", #""New","messages":2,"unread":0"#)
        try chat.send("three", as: "Ann")
        expect("insert", #""","messages":1,"unread":1"#)
    }

    @Test func joiningMarksAsRead() throws {
        try chat.send("one", as: "Ann")
        let list = try chat.start("rooms", "--as", "Bob", "--follow")
        #expect(list.line() == "news  1 message, 1 unread")
        let join = try chat.start("join", "news", "--as", "Bob")
        #expect(list.line() == "news  1 message, 0 unread")
        join.kill()
    }

    @Test func missingRoomIsToldOf() throws {
        for command in [["read", "nowhere", "--as", "Bob"], ["delete-room", "nowhere"]] {
            let failure = try chat.fail(command)
            #expect(failure.code == 1)
            #expect(failure.sentence == "chat: There is no room nowhere.\n")
        }
    }

    private func rooms(_ reader: String) throws -> [String] {
        try chat.run("rooms", "--as", reader, "--json")
    }
}

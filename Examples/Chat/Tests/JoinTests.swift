import Testing

/// `chat join`, with what is typed and what it shows.
@Suite(.serialized)
struct JoinTests {
    private let chat: ChatRealm

    init() throws { chat = try ChatRealm() }

    @Test func whatIsTypedIsSentAndWhatOthersSendIsShown() throws {
        try chat.send("one", as: "Ann")
        try chat.run("topic", "news", "All that is new")
        let join = try chat.start("join", "news", "--as", "Bob")
        #expect(join.line() == "Topic: All that is new")
        #expect(join.message() == "<Ann> one")
        try join.type("two")
        #expect(join.message() == "<Bob> two")
        let id = try chat.send("three", as: "Ann")
        #expect(join.message() == "<Ann> three")
        try chat.run("delete", id)
        #expect(join.message() == "<Ann> (deleted) three")
        try join.type("  ")
        try join.type("//three / four")
        #expect(join.message() == "<Bob> /three / four")
        try join.endInput()
        let (lines, code, errors) = join.end()
        #expect(lines == [] && code == 0 && errors == "")
    }

    @Test func commandsChangeTheLatestMessageAndTheTopic() throws {
        let join = try chat.start("join", "news", "--as", "Bob")
        try join.type("/delete")
        #expect(join.line() == "You have no messages in this room.")
        try join.type("one")
        #expect(join.message() == "<Bob> one")
        try join.type("two")
        #expect(join.message() == "<Bob> two")
        try join.type("/edit 2 words")
        #expect(join.message() == "<Bob> (edited) 2 words (was: two)")
        try join.type("/delete")
        #expect(join.message() == "<Bob> (deleted) 2 words")
        for mistake in ["/nonsense", "/edit", "/delete that", "/topic"] {
            try join.type(mistake)
            let answer = join.line()
            #expect(answer?.hasPrefix("The commands are: /edit TEXT changes your ") == true)
        }
        try join.type("/topic New")
        try join.type("three")
        #expect(join.message() == "<Bob> three")
        #expect(try chat.run("rooms") == ["news  2 messages  New"])
        join.interrupt()
        #expect(join.end().code == 0)
    }

    @Test func joiningShowsTheLastMessagesAndMarksAllAsRead() throws {
        for number in 1...12 { try chat.send("\(number)", as: "Ann") }
        let list = try chat.start("rooms", "--as", "Bob", "--follow")
        #expect(list.line() == "news  12 messages, 12 unread")
        let join = try chat.start("join", "news", "--as", "Bob")
        for number in 3...12 { #expect(join.message() == "<Ann> \(number)") }
        #expect(list.line() == "news  12 messages, 0 unread")
    }
}

import Foundation
import Regnum
import Testing

/// `chat tail` from the perspective of its readers.
@Suite(.serialized)
struct TailTests {
    private let chat: ChatRealm

    init() throws { chat = try ChatRealm() }

    @Test func newMessagesEditsAndDeletionsComeWithTheOldText() throws {
        let tail = try chat.start("tail", "news", "--cursors")
        // The room doesn't exist yet; everything after this cursor is reported.
        _ = try tail.cursor()
        let id = try chat.send("one word", as: "Ann")
        #expect(tail.message() == "<Ann> one word")
        _ = try tail.cursor()
        try chat.run("edit", id, "two", "words")
        #expect(tail.message() == "<Ann> (edited) two words (was: one word)")
        _ = try tail.cursor()
        #expect(
            try chat.run("tail", "news", "--from-start", "--count", "1").map(withoutTime)
                == ["<Ann> (edited) two words"])
        try chat.run("delete", id)
        #expect(tail.message() == "<Ann> (deleted) two words")
    }

    @Test func otherRoomsAndTopicsAreNotPrinted() throws {
        let tail = try chat.start("tail", "news", "--cursors")
        _ = try tail.cursor()
        try chat.run("send", "other", "--as", "Ann", "elsewhere")
        try chat.run("topic", "news", "All that is new")
        try chat.send("here", as: "Ann")
        #expect(tail.message() == "<Ann> here")
    }

    @Test func deletedRoomIsEmptyAndANewOneIsFollowed() throws {
        try chat.send("one", as: "Ann")
        try chat.send("two", as: "Ann")
        let tail = try chat.start("tail", "news", "--from-start")
        for text in ["<Ann> one", "<Ann> two"] { #expect(tail.message() == text) }
        try chat.run("delete-room", "news")
        for text in ["<Ann> (deleted) one", "<Ann> (deleted) two"] {
            #expect(tail.message() == text)
        }
        try chat.send("three", as: "Ann")
        #expect(tail.message() == "<Ann> three")
    }

    @Test func killedTailContinuesFromItsCursor() throws {
        let first = try chat.send("one", as: "Ann")
        let second = try chat.send("two", as: "Ann")
        let tail = try chat.start("tail", "news", "--cursors", "--from-start")
        for text in ["<Ann> one", "<Ann> two"] { #expect(tail.message() == text) }
        _ = try tail.cursor()
        try chat.send("three", as: "Bob")
        #expect(tail.message() == "<Bob> three")
        let cursor = try tail.cursor()
        tail.kill()

        try chat.run("edit", first, "one!")
        try chat.run("delete", second)
        try chat.send("four", as: "Bob")
        let next = try chat.start("tail", "news", "--cursors", "--since", cursor)
        // One change set contains everything that was missed.
        #expect(next.message() == "<Ann> (edited) one! (was: one)")
        #expect(next.message() == "<Ann> (deleted) two")
        #expect(next.message() == "<Bob> four")
        let later = try next.cursor()
        next.kill()

        // Nothing happened since that cursor: the tail waits, and prints what comes.
        let third = try chat.start("tail", "news", "--since", later, "--count", "1")
        try chat.send("five", as: "Ann")
        let (lines, code, _) = third.end()
        #expect(lines.map(withoutTime) == ["<Ann> five"])
        #expect(code == 0)
    }

    @Test func jsonLinesHoldChangeSetsAndCursors() throws {
        let first = try chat.send("one", as: "Ann")
        let tail = try chat.start("tail", "news", "--json", "--from-start")
        var element = try Element(tail.line())
        #expect(element.initial == [.init(id: first, text: "one")])
        let cursor = try #require(element.cursor)
        try chat.run("edit", first, "one!")
        element = try Element(tail.line())
        let edited = Element.Modified(
            old: .init(id: first, text: "one"), new: .init(id: first, text: "one!"))
        #expect(element.update?.modified == [edited])

        let second = try chat.send("two", as: "Ann")
        try chat.run("delete", first)
        let missed = try chat.run("tail", "news", "--json", "--since", cursor, "--count", "1")
        element = try Element(missed.first)
        #expect(element.update?.inserted == [.init(id: second, text: "two")])
        #expect(element.update?.deleted == [.init(id: first, text: "one")])

        let now = try Element(chat.run("tail", "news", "--json", "--count", "1").first)
        #expect(now.cursor != nil && now.initial == nil && now.update == nil)
    }

    @Test func countLimitsTheLines() throws {
        try chat.send("one", as: "Ann")
        try chat.send("two", as: "Ann")
        func lines(_ count: String) throws -> [String] {
            try chat.run("tail", "news", "--cursors", "--from-start", "--count", count)
        }
        #expect(try lines("1").map(withoutTime) == ["<Ann> one"])
        #expect(try lines("2").map(withoutTime) == ["<Ann> one", "<Ann> two"])
        let whole = try lines("3")
        #expect(whole.count == 3 && whole[2].hasPrefix("cursor "))
    }

    @Test func ctrlCIsANormalEnd() throws {
        let tail = try chat.start("tail", "news", "--cursors")
        _ = try tail.cursor()
        tail.interrupt()
        let (lines, code, errors) = tail.end()
        #expect(lines == [] && code == 0 && errors == "")
    }

    @Test func textCannotControlTheTerminal() throws {
        try chat.send("line\nbreak\u{9B}\u{202E} \u{1B}[2J", as: "A\u{7}nn")
        let lines = try chat.run("tail", "news", "--from-start", "--count", "1")
        let shown = "<A\u{FFFD}nn> line break\u{FFFD}\u{FFFD} \u{FFFD}[2J"
        #expect(lines.map(withoutTime) == [shown])
    }

    @Test func unusableCursorsAreExplained() throws {
        let malformed = try chat.fail("tail", "news", "--since", "yesterday")
        #expect(malformed.code == 64)
        #expect(malformed.message.hasPrefix("Error: The value 'yesterday' is invalid for "))

        let both = try chat.fail("tail", "news", "--since", foreignCursor, "--from-start")
        #expect(both.code == 64)

        let foreign = try chat.fail("tail", "news", "--since", foreignCursor)
        #expect(foreign.code == 1)
        #expect(foreign.message.hasPrefix("Error: The cursor \(foreignCursor) "))
    }

    @Test func changesThatAreNoLongerKeptAreExplained() async throws {
        try chat.send("one", as: "Ann")
        let first = try chat.run("tail", "news", "--cursors", "--count", "1")
        let cursor = try #require(first.first?.dropFirst(7))
        try chat.send("two", as: "Ann")

        // A realm seeded with another one's content has none of its history.
        let later = try ChatRealm()
        var configuration = Realm.Configuration(location: .file(later.directory))
        configuration.seedFile = chat.directory
        await (try Realm.open(configuration)).close()
        let trimmed = try later.fail("tail", "news", "--since", String(cursor))
        #expect(trimmed.code == 1)
        #expect(trimmed.message.contains("is no longer in its log"))
        #expect(try later.run("tail", "news", "--from-start", "--count", "2").count == 2)
    }

    private let foreignCursor = String(repeating: "0", count: 32) + "-1"
}

/// The parts of a line of `tail --json` that the tests use.
private struct Element: Decodable {
    struct Message: Decodable, Hashable {
        var id: String
        var text: String
    }

    struct Modified: Decodable, Hashable {
        var old: Message
        var new: Message
    }

    struct Update: Decodable {
        var deleted: [Message]
        var inserted: [Message]
        var modified: [Modified]
        var cursor: String
    }

    var initial: [Message]?
    var update: Update?
    var cursor: String?

    init(_ line: String?) throws {
        let line = try #require(line, "the tail has ended")
        self = try JSONDecoder().decode(Element.self, from: Data(line.utf8))
    }
}

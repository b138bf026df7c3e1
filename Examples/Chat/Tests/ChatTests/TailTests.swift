import Foundation
import Regnum
import Testing

/// `chat tail` from the perspective of its readers.
@Suite(.serialized)
struct TailTests {
    private let chat: ChatRealm

    init() throws { chat = try ChatRealm() }

    @Test func newMessagesEditsAndDeletionsComeWithTheOldText() throws {
        let tail = try chat.start("tail", "news", "--json", "--cursors")
        // The room doesn't exist yet; everything after this cursor is reported.
        _ = try tail.cursor()
        let id = try chat.send("one word", as: "Ann")
        var line = try tail.changeAndCursor().change
        #expect(line.change == "insert" && line.id == id && line.text == "one word")
        try chat.run("edit", id, "two words")
        line = try tail.changeAndCursor().change
        #expect(line.change == "update" && line.id == id && line.text == "two words")
        #expect(line.old?.text == "one word")
        try chat.run("delete", id)
        line = try tail.changeAndCursor().change
        #expect(line.change == "delete" && line.id == id && line.text == "two words")
    }

    @Test func linesForPeopleHaveTheOldTextToo() throws {
        let id = try chat.send("before", as: "Ann")
        let tail = try chat.start("tail", "news", "--from-start")
        #expect(tail.line()?.hasSuffix("<Ann> before") == true)
        try chat.run("edit", id, "after")
        #expect(tail.line()?.hasSuffix("<Ann> (edited) after (was: before)") == true)
        try chat.run("delete", id)
        #expect(tail.line()?.hasSuffix("<Ann> (deleted) after") == true)
    }

    @Test func otherRoomsAndTopicsAreNotTold() throws {
        let tail = try chat.start("tail", "news", "--json", "--cursors")
        _ = try tail.cursor()
        try chat.run("send", "other", "--as", "Ann", "elsewhere")
        try chat.run("topic", "news", "All that is new")
        try chat.send("here", as: "Ann")
        #expect(try tail.tailLine().text == "here")
    }

    @Test func deletedRoomIsEmptyAndANewOneGoesOn() throws {
        try chat.send("one", as: "Ann")
        try chat.send("two", as: "Ann")
        let tail = try chat.start("tail", "news", "--json", "--cursors", "--from-start")
        for text in ["one", "two"] { #expect(try tail.tailLine().text == text) }
        _ = try tail.cursor()
        try chat.run("delete-room", "news")
        for text in ["one", "two"] {
            let line = try tail.tailLine()
            #expect(line.change == "delete" && line.text == text && line.room == "news")
        }
        _ = try tail.cursor()
        try chat.send("three", as: "Ann")
        let line = try tail.tailLine()
        #expect(line.change == "insert" && line.text == "three")
    }

    @Test func killedTailGoesOnFromItsCursor() throws {
        let first = try chat.send("one", as: "Ann")
        let second = try chat.send("two", as: "Ann")
        let tail = try chat.start("tail", "news", "--json", "--cursors", "--from-start")
        for text in ["one", "two"] { #expect(try tail.tailLine().text == text) }
        _ = try tail.cursor()
        try chat.send("three", as: "Bob")
        let (last, cursor) = try tail.changeAndCursor()
        #expect(last.text == "three")
        tail.kill()

        try chat.run("edit", first, "one!")
        try chat.run("delete", second)
        try chat.send("four", as: "Bob")
        let next = try chat.start("tail", "news", "--json", "--cursors", "--since", cursor)
        // One change set contains everything that was missed.
        let update = try next.tailLine()
        #expect(update.change == "update" && update.text == "one!" && update.old?.text == "one")
        let deletion = try next.tailLine()
        #expect(deletion.change == "delete" && deletion.text == "two")
        let (insert, later) = try next.changeAndCursor()
        #expect(insert.change == "insert" && insert.text == "four")
        next.kill()

        // Nothing happened since that cursor: the tail waits, and prints what comes.
        let third = try chat.start("tail", "news", "--json", "--since", later, "--count", "1")
        try chat.send("five", as: "Ann")
        let (lines, code, _) = third.end()
        let texts = try lines.map { try TailLine($0).text }
        #expect(texts == ["five"])
        #expect(code == 0)
    }

    @Test func changeSetThatIsCutHasNoCursor() throws {
        try chat.send("one", as: "Ann")
        try chat.send("two", as: "Ann")
        let cut = try chat.run(
            "tail", "news", "--json", "--cursors", "--from-start", "--count", "1")
        let texts = try cut.map { try TailLine($0).text }
        #expect(texts == ["one"])
        let whole = try chat.run(
            "tail", "news", "--json", "--cursors", "--from-start", "--count", "2")
        #expect(try TailLine(whole.last ?? "").cursor != nil)
    }

    @Test func unusableCursorsAreExplained() throws {
        let malformed = try chat.fail(["tail", "news", "--since", "yesterday"])
        #expect(malformed.code == 64)
        #expect(malformed.sentence.contains("'yesterday' is not a cursor"))

        let both = try chat.fail(["tail", "news", "--since", foreignCursor, "--from-start"])
        #expect(both.code == 64)

        let foreign = try chat.fail(["tail", "news", "--since", foreignCursor])
        #expect(foreign.code == 1)
        #expect(foreign.sentence.hasPrefix("chat: ") && foreign.sentence.hasSuffix(".\n"))
    }

    @Test func changesThatAreNoLongerKeptAreExplained() async throws {
        try chat.send("one", as: "Ann")
        let first = try chat.run("tail", "news", "--from-start", "--cursors", "--count", "1")
        let cursor = try #require(first.last?.split(separator: " ").last)
        try chat.send("two", as: "Ann")

        // A realm seeded with another one's content has none of its history.
        let later = try ChatRealm()
        var configuration = Realm.Configuration(location: .file(later.directory))
        configuration.seedFile = chat.directory
        await (try Realm.open(configuration)).close()
        let trimmed = try later.fail(["tail", "news", "--since", String(cursor)])
        #expect(trimmed.code == 1)
        #expect(trimmed.sentence.contains("no longer kept"))
        #expect(try later.run("tail", "news", "--from-start", "--count", "2").count == 2)
    }

    private let foreignCursor = String(repeating: "0", count: 32) + "-1"
}

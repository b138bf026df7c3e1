import Foundation
import Testing

@testable import chat

/// `chat import`, and the lines of a log.
struct ChatImportTests {
    @Test func importedLogIsPrintedAsItWas() throws {
        let sample = URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Samples/plays-sample.irc")
        let chat = try ChatRealm()
        #expect(
            try chat.run("import", sample.path, "plays", "--batch", "100")
                == ["Imported 210 messages in 3 commits."])
        let text = try String(contentsOf: sample, encoding: .utf8)
        let printed = try chat.run("tail", "plays", "--from-start", "--count", "210")
        #expect(printed.joined(separator: "\n") + "\n" == text)
    }

    @Test func logWithAnotherLineIsRefusedAsAWhole() throws {
        let chat = try ChatRealm()
        let file = chat.folder.appending(path: "log").path
        let log = Data("[00:00:01] <A> one\n\nrubbish\n[00:00:02] <A> two\n".utf8)
        #expect(FileManager.default.createFile(atPath: file, contents: log))
        let refused = try chat.fail("import", file, "news")
        let form = "isn't of the form \"[HH:MM:SS] <NAME> text\""
        #expect(refused == (1, "Error: \(file):3 \(form).\n"))
        #expect(try chat.run("rooms") == [])
        #expect(
            try chat.fail("import", "/nowhere", "news") == (1, "Error: Can't read /nowhere.\n"))
    }

    @Test(arguments: [
        ("[23:59:07] <First Citizen> Before we <go> on: [x] > y", "Before we <go> on: [x] > y"),
        ("[00:00:00] <First Citizen> ", ""), ("[00:00:00] <First Citizen>", ""),
        ("[00:00:00] <First Citizen>  x", " x"), ("[00:00:00] <First Citizen> x\r", "x"),
        ("[00:00:00] <First Citizen> \u{301}\u{2028}x", "\u{301}\u{2028}x"),
    ])
    func lineOfTheFormIsAMessage(line: String, text: String) throws {
        let messages = try logMessages(in: Data(line.utf8), named: "log", from: Date())
        #expect(messages.map(\.author) == ["First Citizen"])
        #expect(messages.map(\.text) == [text])
        #expect(messages.map(\.sentAt).map(timeOfDay) == [String(line.dropFirst().prefix(8))])
    }

    @Test(arguments: [
        "hello", "[24:00:00] <A> x", "[00:60:00] <A> x", "[00:00:60] <A> x", "[0:00:00] <A> x",
        "[00:00:00] A x", "[00:00:00] <> x", "[00:00:00]<A> x", "[00:00:00] <A>x", "[00:00:00] <A",
        " [00:00:00] <A> x", "[+1:00:00] <A> x", "[\u{661}1:00:00] <A> x",
    ])
    func otherLineIsRefused(line: String) {
        #expect(throws: Failure.self) {
            try logMessages(in: Data(line.utf8), named: "log", from: Date())
        }
    }

    @Test func invalidUTF8IsRefused() {
        let cut = Data("[00:00:00] <A> \u{E9}".utf8.dropLast())
        #expect(throws: Failure.self) { try logMessages(in: cut, named: "log", from: Date()) }
    }
}

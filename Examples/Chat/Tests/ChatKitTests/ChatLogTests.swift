import ChatKit
import Foundation
import Testing

struct ChatLogTests {
    @Test func lineOfTheFormIsRead() throws {
        let line = try #require(
            ChatLogLine("[23:59:07] <First Citizen> Before we <go> on: [x] > y"))
        #expect(line.hour == 23 && line.minute == 59 && line.second == 7)
        #expect(line.author == "First Citizen")
        #expect(line.text == "Before we <go> on: [x] > y")
    }

    @Test func textMayBeEmptyOrBeginWithASpace() {
        #expect(ChatLogLine("[00:00:00] <A> ")?.text == "")
        #expect(ChatLogLine("[00:00:00] <A>")?.text == "")
        #expect(ChatLogLine("[00:00:00] <A>  x")?.text == " x")
        #expect(ChatLogLine("[00:00:00] <A> \u{301}x")?.text.unicodeScalars.count == 2)
    }

    @Test(arguments: [
        "", "hello", "[24:00:00] <A> x", "[00:60:00] <A> x", "[00:00:60] <A> x", "[0:00:00] <A> x",
        "[00:00:00] A x", "[00:00:00] <> x", "[00:00:00]<A> x", "[00:00:00] <A>x", "[00:00:00] <A",
        " [00:00:00] <A> x", "[+1:00:00] <A> x",
    ])
    func otherLinesDoNotFit(line: String) {
        #expect(ChatLogLine(line) == nil)
    }

    @Test func misfitsAreNumberedAndTheRestGoesOn() throws {
        let text = "[00:00:01] <A> one\r\nrubbish\u{1B}[2J\n\n[00:00:02] <B> two"
        let entries = chatLogEntries(in: Array(text.utf8) + [0x0A, 0xFF, 0xFE, 0x0A])
        let one = try #require(ChatLogLine("[00:00:01] <A> one"))
        let two = try #require(ChatLogLine("[00:00:02] <B> two"))
        #expect(
            entries == [
                .message(one, lineNumber: 1), .misfit("rubbish\u{FFFD}[2J", lineNumber: 2),
                .misfit("", lineNumber: 3), .message(two, lineNumber: 4),
                .misfit("\u{FFFD}\u{FFFD}", lineNumber: 5),
            ])
    }

    @Test func emptyFileHasNoEntries() {
        #expect(chatLogEntries(in: []).isEmpty)
    }

    @Test func sampleLogHasNoMisfits() throws {
        let sample = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Samples/plays-sample.irc")
        let entries = chatLogEntries(in: try Data(contentsOf: sample))
        #expect(entries.count >= 150)
        let misfits = entries.filter { if case .misfit = $0 { true } else { false } }
        #expect(misfits == [])
    }

    @Test func timesOfADayComeBackAsTheyWere() {
        let day = LocalDay(of: Date())
        let date = day.date(hour: 13, minute: 5, second: 9)
        #expect(wallClockTime(date) == "13:05:09")
        #expect(LocalDay(of: date).date(hour: 13, minute: 5, second: 9) == date)
    }
}

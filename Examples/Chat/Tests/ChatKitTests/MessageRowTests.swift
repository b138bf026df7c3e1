import ChatKit
import Foundation
import Testing

struct MessageRowTests {
    let message = MessageContent(
        id: "65f0c0ffee0123456789abcd", room: "general", author: "Ann", text: "say \"hi\"\n\u{1}é",
        sentAt: Date(timeIntervalSince1970: 1_700_000_000.25))

    @Test func insertIsOneJSONObjectInTheStatedOrder() {
        let row = MessageRow(change: .insert, message: message, version: 7, at: 12_345)
        #expect(
            row.json
                == #"{"change":"insert","id":"65f0c0ffee0123456789abcd","room":"general","author":"#
                + #""Ann","text":"say \"hi\"\n\u0001é","sentAt":"2023-11-14T22:13:20.250Z","#
                + #""version":7,"at":12345}"#)
    }

    @Test func updateHoldsTheOldContent() throws {
        var old = message
        old.text = "before"
        let row = MessageRow(change: .update(old: old), message: message, version: 8, at: 1)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(row.json.utf8)) as? [String: Any])
        #expect(object["change"] as? String == "update")
        #expect(object["text"] as? String == message.text)
        let before = try #require(object["old"] as? [String: Any])
        #expect(before["text"] as? String == "before")
        #expect(before["author"] as? String == "Ann")
    }

    @Test func editedMessageSaysSo() throws {
        var edited = message
        edited.text = "hi"
        edited.editedAt = Date(timeIntervalSince1970: 1_700_000_060)
        let row = MessageRow(change: .insert, message: edited, version: 8, at: 1)
        #expect(row.line.hasSuffix("<Ann> (edited) hi"))
        #expect(row.json.contains(#""editedAt":"2023-11-14T22:14:20.000Z""#))
    }

    @Test func cursorStandsAloneOnItsLine() {
        #expect(cursorLine("abc-7", json: true) == #"{"cursor":"abc-7"}"#)
        #expect(cursorLine("abc-7", json: false) == "cursor abc-7")
    }

    @Test func deletionHoldsTheLastContent() throws {
        let row = MessageRow(change: .delete, message: message, version: 9, at: 2)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(row.json.utf8)) as? [String: Any])
        #expect(object["change"] as? String == "delete")
        #expect(object["text"] as? String == message.text)
        #expect(object["version"] as? Int == 9)
        #expect(object["old"] == nil)
    }

    @Test func lineForPeopleCannotControlTheTerminal() {
        var evil = message
        evil.author = "A\u{1B}[2J"
        evil.text = "line\nbreak\u{9B}\u{202E}"
        let row = MessageRow(change: .insert, message: evil, version: 1, at: 1)
        #expect(row.line.hasSuffix("<A\u{FFFD}[2J> line break\u{FFFD}\u{FFFD}"))
    }

    @Test func progressBarFitsItsLine() {
        let bar = ProgressBar(total: 200, columns: 80)
        #expect(bar.line(done: 0).hasPrefix("[----"))
        #expect(bar.line(done: 100).contains(" 50%  100 of 200"))
        #expect(bar.line(done: 200).contains("100%"))
        #expect(ProgressBar(total: 0, columns: 80).line(done: 0).contains("100%"))
        for columns in 1...100 {
            let narrow = ProgressBar(total: 25_547, columns: columns)
            #expect(narrow.line(done: 12_000).count < max(columns, 1))
        }
    }
}

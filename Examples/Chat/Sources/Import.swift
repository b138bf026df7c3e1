import ArgumentParser
import Foundation
import Regnum

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Imports a chat log: lines of the form \"[HH:MM:SS] <NAME> text\", dated today.")

    @ParentCommand var chat: Chat
    @Argument(help: "The log file.") var file: String
    @Argument(help: "The room, created if missing.", transform: nonEmpty) var room: String
    @Option(help: ArgumentHelp("Messages per commit.", valueName: "n")) var batch = 100

    func validate() throws {
        if batch < 1 { throw ValidationError("--batch must be at least 1.") }
    }

    func run() async throws {
        guard let log = FileManager.default.contents(atPath: file) else {
            throw Failure("Can't read \(file).")
        }
        let messages = try logMessages(in: log, named: file, from: Date())
        let starts = Array(stride(from: 0, to: messages.count, by: batch))
        try await chat.withRealm { realm in
            for start in starts {
                try await realm.write { tx in
                    let room = try tx.room(room)
                    for message in messages[start...].prefix(batch) {
                        room.send(message.text, author: message.author, at: message.sentAt)
                    }
                }
            }
        }
        try show(["Imported \(messages.count) messages in \(starts.count) commits."])
    }
}

/// A message of a chat log.
struct LogMessage: Hashable {
    var author: String
    var text: String
    var sentAt: Date
}

/// Reads the messages of a log. Empty lines are skipped; any other line that isn't a message is
/// refused.
///
/// - Parameters:
///   - name: The name of the log, for errors.
///   - day: The day of the messages, in local time.
func logMessages(in log: Data, named name: String, from day: Date) throws -> [LogMessage] {
    let pattern = /\[([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])\] <([^>]+)>(?: (.*?))?\r?/
    let form = pattern.matchingSemantics(.unicodeScalar).dotMatchesNewlines()
    var time = calendar.dateComponents([.year, .month, .day], from: day)
    let lines = Array(log).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var messages: [LogMessage] = []
    for (index, line) in lines.enumerated() where !line.isEmpty {
        guard let text = String(validating: line, as: UTF8.self),
            let match = text.wholeMatch(of: form)
        else { throw Failure("\(name):\(index + 1) isn't of the form \"[HH:MM:SS] <NAME> text\".") }
        (time.hour, time.minute, time.second) = (Int(match.1), Int(match.2), Int(match.3))
        messages.append(
            LogMessage(
                author: String(match.4), text: String(match.5 ?? ""),
                sentAt: calendar.date(from: time) ?? day))
    }
    return messages
}

import ArgumentParser
import ChatKit
import Foundation
import Regnum

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Imports a chat log: lines of the form \"[HH:MM:SS] <NAME> text\", dated today.")

    @ParentCommand var chat: Chat
    @Argument(help: "The log file.") var file: String
    @Argument(help: "The room.") var room: String
    @Option(help: ArgumentHelp("Messages per commit.", valueName: "n")) var batch = 100
    @Flag(help: "Print one JSON object for each commit: version, at, messages.") var json = false

    func validate() throws {
        try requireText(room, "ROOM")
        if batch < 1 { throw ValidationError("--batch must be at least 1.") }
    }

    func run() async throws {
        let log = try readLog()
        try await chat.withRealm { realm in
            try await write(log.messages, to: realm)
        }
        let skipped = log.misfitCount == 0 ? "" : "; \(log.misfitCount) lines were skipped"
        let commitCount = (log.messages.count + batch - 1) / batch
        let report = "Imported \(log.messages.count) messages in \(commitCount) commits\(skipped)."
        if json { printToStandardError(report) } else { try StandardOutput.print(report) }
    }

    private struct LogMessage: Sendable {
        var author: String
        var text: String
        var sentAt: Date
    }

    /// Reads the messages of the file. Malformed lines are reported on standard error.
    private func readLog() throws -> (messages: [LogMessage], misfitCount: Int) {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: file))
        } catch {
            throw ChatFailure("Can't read \(file).")
        }
        let today = LocalDay(of: Date())
        var messages: [LogMessage] = []
        var misfitCount = 0
        for entry in chatLogEntries(in: data) {
            switch entry {
            case .message(let line, _):
                let date = today.date(hour: line.hour, minute: line.minute, second: line.second)
                messages.append(LogMessage(author: line.author, text: line.text, sentAt: date))
            case .misfit(let text, let lineNumber):
                misfitCount += 1
                printToStandardError("\(file):\(lineNumber): not a chat line: \(text)")
            }
        }
        return (messages, misfitCount)
    }

    private func write(_ messages: [LogMessage], to realm: Realm) async throws {
        let progress = TerminalProgress(total: messages.count)
        defer { progress.end() }
        var done = 0
        while done < messages.count {
            let part = messages[done..<min(done + batch, messages.count)]
            let version = try await realm.write { [room] tx in
                let room = try tx.room(room)
                for message in part {
                    room.send(message.text, author: message.author, at: message.sentAt)
                }
                return tx.version
            }
            let at = monotonicNanoseconds()
            done += part.count
            if json {
                var line = JSONLine()
                line.add("version", version)
                line.add("at", at)
                line.add("messages", part.count)
                try StandardOutput.print(line.line)
            }
            progress.show(done: done)
        }
    }
}

import Foundation
import Regnum
import RegnumTestSupport

/// A chat log with lines of the form "[HH:MM:SS] <NAME> text".
struct ChatLog {
    struct Line: Sendable {
        let secondOfDay: Int
        let author: String
        let text: String

        init(_ line: Substring) throws {
            let pattern = #/\[(\d\d):(\d\d):(\d\d)\] <([^>]+)> (.*)/#
            guard let match = try pattern.wholeMatch(in: line), let hour = Int(match.1),
                let minute = Int(match.2), let second = Int(match.3)
            else { throw ChildFailure("not a chat log line: \(line)") }
            secondOfDay = hour * 3600 + minute * 60 + second
            author = String(match.4)
            text = String(match.5)
        }
    }

    /// The lines of the file.
    let source: [Substring]
    let lines: [Line]

    /// The whole shared log, or a small sample if it is absent.
    static let plays: Result<ChatLog, any Error> = Result {
        let repository = Repository.root
        let file = Repository.shared.appending(path: "data/plays.irc")
        guard let bytes = try? Data(contentsOf: file) else {
            print("\(file.path) is absent: the import is tested with a sample of 1,000 lines.")
            return try ChatLog(sample(lineCount: 1000))
        }
        return try ChatLog(String(decoding: bytes, as: UTF8.self))
    }

    private init(_ text: String) throws {
        source = text.split(separator: "\n")
        lines = try source.map { try Line($0) }
    }

    private static func sample(lineCount: Int) -> String {
        (0..<lineCount).map { number in
            let time = [number / 3600, number / 60 % 60, number % 60]
                .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
            return "[\(time)] <Speaker \(number % 7)> Line \(number): à demain, ça ira."
        }.joined(separator: "\n")
    }
}

extension Message {
    convenience init(_ line: ChatLog.Line) {
        self.init()
        room = "plays"
        author = line.author
        text = line.text
        sentAt = Date(timeIntervalSinceReferenceDate: Double(line.secondOfDay))
    }
}

extension Realm {
    /// The messages as lines of a chat log.
    nonisolated func chatLog() -> [String] {
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return snapshot().objects(Message.self).where { $0.room == "plays" }.map { message in
            let second = Int(message.sentAt.timeIntervalSinceReferenceDate)
            let time = [second / 3600, second / 60 % 60, second % 60].map(twoDigits)
                .joined(separator: ":")
            return "[\(time)] <\(message.author)> \(message.text)"
        }
    }
}

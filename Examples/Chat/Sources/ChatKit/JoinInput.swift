/// The command or message in a line typed in `chat join`.
package enum JoinInput: Hashable, Sendable {
    case message(String)
    /// Changes the text of a message: the one with the id, or the author's latest.
    case edit(id: String?, text: String)
    case delete(id: String?)
    /// Sets the topic, or (if `nil`) shows it.
    case topic(String?)
    case rooms
    case quit
    case help
    case nothing
    /// An unknown or incomplete command, with a message that explains its syntax.
    case mistake(String)

    /// Parses a line. A line that begins with "//" is a message that begins with "/".
    package init(line: String) {
        guard line.hasPrefix("/") else {
            self = line.allSatisfy(\.isWhitespace) ? .nothing : .message(line)
            return
        }
        guard !line.hasPrefix("//") else {
            self = .message(String(line.dropFirst()))
            return
        }
        let words = line.split(separator: " ", maxSplits: 1)
        let rest = words.count > 1 ? words[1].drop(while: \.isWhitespace) : ""
        switch words[0] {
        case "/edit": self = Self.edit(rest)
        case "/delete": self = Self.delete(rest)
        case "/topic": self = .topic(rest.isEmpty ? nil : String(rest))
        case "/rooms": self = .rooms
        case "/quit": self = .quit
        case "/help": self = .help
        default: self = .mistake("Unknown command \(words[0]); /help lists the commands.")
        }
    }

    package static let commands = """
        /edit [ID] TEXT   changes your latest message, or the one with the id
        /delete [ID]      deletes your latest message, or the one with the id
        /topic [TEXT]     shows the room's topic, or sets it
        /rooms            lists the rooms
        /quit             leaves (so does Ctrl-D)
        //TEXT            sends a text that begins with a slash
        """

    private static func edit(_ rest: Substring) -> JoinInput {
        let words = rest.split(separator: " ", maxSplits: 1)
        guard let first = words.first else { return .mistake("Usage: /edit [ID] TEXT.") }
        guard isIdentifier(first) else { return .edit(id: nil, text: String(rest)) }
        guard words.count > 1 else { return .mistake("Usage: /edit [ID] TEXT.") }
        return .edit(id: String(first), text: String(words[1]))
    }

    private static func delete(_ rest: Substring) -> JoinInput {
        guard !rest.isEmpty else { return .delete(id: nil) }
        return isIdentifier(rest)
            ? .delete(id: String(rest)) : .mistake("Usage: /delete [ID].")
    }

    private static func isIdentifier(_ word: Substring) -> Bool {
        word.utf8.count == 24 && word.allSatisfy(\.isHexDigit)
    }
}

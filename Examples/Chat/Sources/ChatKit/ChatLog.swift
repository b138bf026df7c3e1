/// A line of a chat log: "[HH:MM:SS] <NAME> text".
package struct ChatLogLine: Hashable, Sendable {
    package var hour: Int
    package var minute: Int
    package var second: Int
    package var author: String
    package var text: String

    /// Parses one line, without its line break. `nil` unless it has exactly the form above: the
    /// name isn't empty and contains no ">", one space separates the parts, the text may be empty.
    package init?(_ line: String) {
        let bytes = Array(line.utf8)
        // "[HH:MM:SS] <" takes 12 bytes; zeros in the form stand for digits.
        let form = Array("[00:00:00] <".utf8)
        guard bytes.count > form.count,
            zip(form, bytes).allSatisfy({ expected, byte in
                expected == UInt8(ascii: "0")
                    ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : expected == byte
            }),
            let close = bytes[form.count...].firstIndex(of: UInt8(ascii: ">")), close > form.count
        else { return nil }
        func number(at position: Int) -> Int {
            Int(bytes[position] - UInt8(ascii: "0")) * 10
                + Int(bytes[position + 1] - UInt8(ascii: "0"))
        }
        hour = number(at: 1)
        minute = number(at: 4)
        second = number(at: 7)
        author = String(decoding: bytes[form.count..<close], as: UTF8.self)
        let rest = bytes[(close + 1)...]
        guard hour < 24, minute < 60, second < 60,
            rest.first ?? UInt8(ascii: " ") == UInt8(ascii: " ")
        else { return nil }
        text = String(decoding: rest.dropFirst(), as: UTF8.self)
    }
}

/// One line of a log file: a message, or a malformed line.
package enum ChatLogEntry: Hashable, Sendable {
    case message(ChatLogLine, lineNumber: Int)
    /// The printable part of the line, at most 60 characters.
    case misfit(String, lineNumber: Int)
}

/// Returns the entries of a log file, in order. Lines are numbered from 1 and end in LF or CR LF. A
/// line that isn't valid UTF-8 is malformed.
package func chatLogEntries(in bytes: some Sequence<UInt8>) -> [ChatLogEntry] {
    var lines = Array(bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.enumerated().map { index, line in
        let bytes = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        if let text = String(validating: bytes, as: UTF8.self), let parsed = ChatLogLine(text) {
            return .message(parsed, lineNumber: index + 1)
        }
        let shown = String(String(decoding: bytes, as: UTF8.self).prefix(60))
        return .misfit(printable(shown), lineNumber: index + 1)
    }
}

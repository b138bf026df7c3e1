/// A Swift file, split into code and comments.
struct SourceText {
    let path: String
    /// The lines with comments and the contents of string literals blanked.
    let code: [String]
    /// The lines with everything but comments blanked.
    let comments: [String]

    init(path: String, text: String) {
        self.path = path
        var scanner = Scanner(text: Array(text.utf8))
        scanner.run()
        func lines(_ bytes: [UInt8]) -> [String] {
            bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        }
        code = lines(scanner.code)
        comments = lines(scanner.comments)
    }

    /// The line count as an editor shows it.
    var lineCount: Int { code.last == "" ? code.count - 1 : code.count }
}

/// A minimal lexer for Swift: line comments, nested block comments, and string literals (including
/// raw and multi-line ones). Interpolated code counts as part of its string.
private struct Scanner {
    let text: [UInt8]
    var code: [UInt8] = []
    var comments: [UInt8] = []
    private var position = 0

    init(text: [UInt8]) {
        self.text = text
    }

    mutating func run() {
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "/") where starts("//"):
                while position < text.count, text[position] != UInt8(ascii: "\n") {
                    take(comment: true)
                }
            case UInt8(ascii: "/") where starts("/*"):
                blockComment()
            case UInt8(ascii: "#"), UInt8(ascii: "\""):
                let hashes = text[position...].prefix { $0 == UInt8(ascii: "#") }.count
                take(hashes)
                if starts("\"") { string(hashes: String(repeating: "#", count: hashes)) }
            default:
                take()
            }
        }
    }

    private func starts(_ token: String) -> Bool { text[position...].starts(with: token.utf8) }

    /// Advances. The consumed text goes to the code, to the comments, or (for the content of a
    /// string) to neither.
    private mutating func take(_ count: Int = 1, comment: Bool = false, blank: Bool = false) {
        for byte in text[position...].prefix(count) {
            let isNewline = byte == UInt8(ascii: "\n")
            code.append(isNewline || !(comment || blank) ? byte : UInt8(ascii: " "))
            comments.append(isNewline || comment ? byte : UInt8(ascii: " "))
        }
        position = min(position + count, text.count)
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            let change = starts("/*") ? 1 : starts("*/") ? -1 : 0
            depth += change
            take(change == 0 ? 1 : 2, comment: true)
        } while depth > 0 && position < text.count
    }

    private mutating func string(hashes: String) {
        let quote = starts("\"\"\"") ? "\"\"\"" : "\""
        take(quote.count)
        while position < text.count, !starts(quote + hashes) {
            if quote.count == 1, text[position] == UInt8(ascii: "\n") { return }
            take(starts("\\" + hashes) ? hashes.count + 2 : 1, blank: true)
        }
        take(quote.count + hashes.count)
    }
}

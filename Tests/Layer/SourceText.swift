import Foundation

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
///
/// What is neither is skipped by functions of the C library: this file isn't optimized.
private struct Scanner {
    private let text: [UInt8]
    private(set) var code: [UInt8]
    private(set) var comments: [UInt8]
    private var position = 0

    init(text: [UInt8]) {
        self.text = text
        code = text
        comments = [UInt8](repeating: UInt8(ascii: " "), count: text.count)
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for line in lines.dropLast() { comments[line.endIndex] = UInt8(ascii: "\n") }
    }

    mutating func run() {
        while skip(to: "/\"#") {
            if starts("//") {
                let start = position
                _ = skip(to: "\n")
                take(position - start, from: start, comment: true)
            } else if starts("/*") {
                blockComment()
            } else if starts("/") {
                position += 1
            } else {
                let hashes = text[position...].prefix { $0 == UInt8(ascii: "#") }.count
                position += hashes
                if starts("\"") { string(hashes: String(repeating: "#", count: hashes)) }
            }
        }
    }

    /// Advances to the next of some characters. Returns whether there is one.
    private mutating func skip(to characters: String) -> Bool {
        position = text.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            return characters.utf8.compactMap { character in
                memchr(start + position, Int32(character), bytes.count - position).map {
                    UnsafeRawPointer($0) - start
                }
            }.min() ?? bytes.count
        }
        return position < text.count
    }

    private func starts(_ token: String) -> Bool { text[position...].starts(with: token.utf8) }

    /// Advances over a comment, or over the content of a string, which is neither code nor comment.
    private mutating func take(_ count: Int, from start: Int? = nil, comment: Bool) {
        let range = (start ?? position)..<min((start ?? position) + count, text.count)
        for index in range where text[index] != UInt8(ascii: "\n") {
            code[index] = UInt8(ascii: " ")
            if comment { comments[index] = text[index] }
        }
        position = range.upperBound
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
        position += quote.count
        while true {
            let start = position
            _ = skip(to: quote.count == 1 ? "\"\\\n" : "\"\\")
            take(position - start, from: start, comment: false)
            if position == text.count || text[position] == UInt8(ascii: "\n") { return }
            if starts(quote + hashes) {
                position += quote.count + hashes.count
                return
            }
            take(starts("\\" + hashes) ? hashes.count + 2 : 1, comment: false)
        }
    }
}

/// A Swift file, split into what the compiler reads and what people read.
struct SourceText {
    let path: String
    /// The lines with comments and the contents of string literals blanked.
    let code: [String]
    /// The lines with everything but comments blanked.
    let comments: [String]

    init(path: String, text: String) {
        self.path = path
        var scanner = Scanner(text: Array(text.unicodeScalars))
        scanner.run()
        code = scanner.code.split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
        comments = scanner.comments.split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    /// The line count as an editor shows it.
    var lineCount: Int { code.last == "" ? code.count - 1 : code.count }
}

/// Knows just enough of Swift's lexical structure: line comments, nested block comments, string
/// literals (raw and multi-line ones too). Interpolated code counts as text of its string.
private struct Scanner {
    let text: [Unicode.Scalar]
    var code = ""
    var comments = ""
    private var position = 0

    init(text: [Unicode.Scalar]) {
        self.text = text
    }

    mutating func run() {
        while position < text.count {
            if starts("//") {
                while position < text.count, text[position] != "\n" { take(comment: true) }
            } else if starts("/*") {
                blockComment()
            } else if let hashes = stringStart() {
                string(hashes: hashes)
            } else {
                take()
            }
        }
    }

    private func starts(_ token: String, at offset: Int = 0) -> Bool {
        let scalars = Array(token.unicodeScalars)
        let start = position + offset
        guard start + scalars.count <= text.count else { return false }
        return text[start..<start + scalars.count].elementsEqual(scalars)
    }

    /// Moves one scalar on; it goes to the code, to the comments, or (a string's content) to neither.
    private mutating func take(comment: Bool = false, blank: Bool = false) {
        let scalar = text[position]
        position += 1
        let isNewline = scalar == "\n"
        code.unicodeScalars.append(isNewline || !(comment || blank) ? scalar : " ")
        comments.unicodeScalars.append(isNewline || comment ? scalar : " ")
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if starts("/*") {
                depth += 1
                take(comment: true)
            } else if starts("*/") {
                depth -= 1
                take(comment: true)
            }
            if position < text.count { take(comment: true) }
        } while depth > 0 && position < text.count
    }

    /// The number of "#" of the string literal that starts here, or nil if none does.
    private func stringStart() -> Int? {
        var hashes = 0
        while starts("#", at: hashes) { hashes += 1 }
        return starts("\"", at: hashes) ? hashes : nil
    }

    private mutating func string(hashes: Int) {
        for _ in 0..<hashes { take() }
        let isMultiline = starts("\"\"\"")
        let quote = isMultiline ? "\"\"\"" : "\""
        for _ in 0..<quote.count { take() }
        let end = quote + String(repeating: "#", count: hashes)
        let escape = "\\" + String(repeating: "#", count: hashes)
        while position < text.count, !starts(end) {
            if !isMultiline, text[position] == "\n" { return }
            if starts(escape) {
                for _ in 0..<escape.count { take(blank: true) }
            }
            if position < text.count { take(blank: true) }
        }
        for _ in 0..<end.count where position < text.count { take() }
    }
}

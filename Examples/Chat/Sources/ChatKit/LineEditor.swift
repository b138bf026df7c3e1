/// The line being typed at a terminal in raw mode, as a state machine: its inputs are bytes, its
/// outputs actions and a picture of the line. It doesn't access the terminal.
package struct LineEditor: Sendable {
    package enum Action: Hashable, Sendable {
        /// Enter: submits the line, which is empty afterwards.
        case submit(String)
        /// Ctrl-D on an empty line.
        case end
        /// Ctrl-L: clears the screen.
        case clearScreen
    }

    private var line: [Character] = []
    /// The position of the character after the cursor.
    private var cursor = 0
    /// The bytes of an incomplete character or escape sequence.
    private var pending: [UInt8] = []
    private var history: [String] = []
    /// The entry of `history` shown in the line; `history.count` for the line being written.
    private var historyPosition = 0

    package init() {}

    /// The text of the line.
    package var text: String { String(line) }

    /// Processes bytes from the terminal, in pieces of any size.
    package mutating func receive(_ bytes: some Sequence<UInt8>) -> [Action] {
        var actions: [Action] = []
        for byte in bytes {
            pending.append(byte)
            if let key = TerminalKey.take(from: &pending), let action = press(key) {
                actions.append(action)
            }
        }
        return actions
    }

    private mutating func press(_ key: TerminalKey) -> Action? {
        switch key {
        case .character(let scalar): insert(scalar)
        case .enter: return submit()
        case .deleteBackward: remove(cursor - 1..<cursor)
        case .deleteForward: remove(cursor..<cursor + 1)
        case .endOfInput:
            if line.isEmpty { return .end }
            remove(cursor..<cursor + 1)
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(line.count, cursor + 1)
        case .home: cursor = 0
        case .end: cursor = line.count
        case .deleteToEnd: remove(cursor..<line.count)
        case .deleteToStart: remove(0..<cursor)
        case .deleteWord: remove(startOfWord()..<cursor)
        case .up: recall(historyPosition - 1)
        case .down: recall(historyPosition + 1)
        case .clearScreen: return .clearScreen
        case .unknown: break
        }
        return nil
    }

    private mutating func insert(_ scalar: Unicode.Scalar) {
        // A combining mark or the next part of an emoji joins the character before the cursor.
        if cursor > 0 {
            let joined = String(line[cursor - 1]) + String(Character(scalar))
            if joined.count == 1, let character = joined.first {
                line[cursor - 1] = character
                return
            }
        }
        line.insert(Character(scalar), at: cursor)
        cursor += 1
    }

    private mutating func remove(_ range: Range<Int>) {
        let range = range.clamped(to: 0..<line.count)
        line.removeSubrange(range)
        if !range.isEmpty || cursor > line.count { cursor = range.lowerBound }
    }

    private func startOfWord() -> Int {
        var start = cursor
        while start > 0, line[start - 1] == " " { start -= 1 }
        while start > 0, line[start - 1] != " " { start -= 1 }
        return start
    }

    private mutating func submit() -> Action {
        let submitted = text
        if !submitted.isEmpty, history.last != submitted { history.append(submitted) }
        if history.count > 100 { history.removeFirst() }
        historyPosition = history.count
        line = []
        cursor = 0
        return .submit(submitted)
    }

    private mutating func recall(_ position: Int) {
        guard position >= 0, position <= history.count else { return }
        historyPosition = position
        line = position < history.count ? Array(history[position]) : []
        cursor = line.count
    }
}

extension LineEditor {
    /// The sequence that erases the terminal's current line, to be sent before a message is printed
    /// above the prompt.
    package static let eraseLine = "\r\u{1B}[K"

    /// Returns the bytes that make the terminal's current line show the prompt and the text, with
    /// the cursor in place. If the line is too long for `columns`, the part around the cursor is
    /// shown.
    package func picture(prompt: String, columns: Int) -> String {
        let promptWidth = prompt.reduce(0) { $0 + columnCount(of: $1) }
        let room = max(1, columns - promptWidth - 1)
        var start = cursor
        var width = 0
        while start > 0, width + columnCount(of: line[start - 1]) <= room {
            start -= 1
            width += columnCount(of: line[start])
        }
        var end = cursor
        var after = 0
        while end < line.count, width + after + columnCount(of: line[end]) <= room {
            after += columnCount(of: line[end])
            end += 1
        }
        let back = after > 0 ? "\u{1B}[\(after)D" : ""
        return Self.eraseLine + prompt + String(line[start..<end]) + back
    }
}

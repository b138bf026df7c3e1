import ChatKit
import Foundation

/// The screen of `chat join`. On a terminal the line being typed stays at the bottom, below new
/// messages; otherwise plain lines are read and written.
struct JoinDisplay {
    private let prompt: String
    private let terminal = Terminal(descriptor: STDIN_FILENO)
    /// Whether this process edits lines itself: standard input and output are a terminal.
    private let isInteractive: Bool
    private var settings: termios?
    private var editor = LineEditor()
    /// Input that isn't a complete line yet, when lines aren't edited here.
    private var rest: [UInt8] = []
    private(set) var wantsToEnd = false

    init(prompt: String) {
        self.prompt = prompt
        isInteractive = terminal.isTerminal && Terminal(descriptor: STDOUT_FILENO).isTerminal
    }

    mutating func begin() {
        if isInteractive { settings = terminal.makeRaw() }
    }

    /// Restores the terminal.
    mutating func end() {
        guard let settings else { return }
        try? StandardOutput.write(LineEditor.eraseLine)
        terminal.restore(settings)
        self.settings = nil
    }

    /// Processes input and returns the lines that it completes.
    mutating func take(_ bytes: [UInt8]) -> [String] {
        guard isInteractive else { return takePlain(bytes) }
        var lines: [String] = []
        for action in editor.receive(bytes) {
            switch action {
            case .submit(let line): lines.append(line)
            case .end: wantsToEnd = true
            case .clearScreen: try? StandardOutput.write("\u{1B}[H\u{1B}[2J")
            }
        }
        return lines
    }

    private mutating func takePlain(_ bytes: [UInt8]) -> [String] {
        rest += bytes
        var parts = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Array(parts.removeLast())
        return parts.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the last line of an input that doesn't end in a line break.
    mutating func takeRest() -> String? {
        defer { rest = [] }
        return rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self)
    }

    /// Prints lines above the one being typed.
    func show(_ lines: [String]) throws {
        guard isInteractive else { return try StandardOutput.print(lines) }
        let text = lines.map { $0 + "\n" }.joined()
        try StandardOutput.write(LineEditor.eraseLine + text + picture)
    }

    /// Redraws the line being typed.
    func draw() throws {
        if isInteractive { try StandardOutput.write(picture) }
    }

    private var picture: String {
        editor.picture(prompt: prompt, columns: terminal.columns)
    }
}

import ChatKit
import Foundation

/// The screen of `chat join`: on a terminal the line being typed stays at the bottom, below what
/// arrives; elsewhere plain lines come in and go out.
struct JoinDisplay {
    private let prompt: String
    private let terminal = Terminal(descriptor: STDIN_FILENO)
    /// Whether lines are edited here: standard input and output are a terminal.
    private let isInteractive: Bool
    private var settings: termios?
    private var editor = LineEditor()
    /// Input that is no full line yet, where lines are not edited here.
    private var rest: [UInt8] = []
    private(set) var wantsToEnd = false

    init(prompt: String) {
        self.prompt = prompt
        isInteractive = terminal.isTerminal && Terminal(descriptor: STDOUT_FILENO).isTerminal
    }

    mutating func begin() {
        if isInteractive { settings = terminal.makeRaw() }
    }

    /// Leaves the terminal as it was.
    mutating func end() {
        guard let settings else { return }
        try? StandardOutput.write(LineEditor.eraseLine)
        terminal.restore(settings)
        self.settings = nil
    }

    /// Takes input and returns the lines that it completes.
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

    /// The last line of an input that does not end in a line break.
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

    /// Draws the line being typed again.
    func draw() throws {
        if isInteractive { try StandardOutput.write(picture) }
    }

    private var picture: String {
        editor.picture(prompt: prompt, columns: terminal.columns)
    }
}

import Foundation
import Testing

/// A realm for one test, and the commands on it. Its files are removed with it.
final class ChatRealm {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "chat-test-\(UUID().uuidString)")

    /// The directory of the realm.
    var directory: URL { folder.appending(path: "chat.realm") }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Starts a command.
    func start(_ arguments: String...) throws -> ChatProcess { try start(arguments) }

    private func start(_ arguments: [String]) throws -> ChatProcess {
        try ChatProcess(["--realm", directory.path] + arguments)
    }

    /// Runs a command that must succeed, and returns the lines that it prints.
    @discardableResult
    func run(_ arguments: String..., location: SourceLocation = #_sourceLocation) throws
        -> [String]
    {
        let (lines, code, errors) = try start(arguments).end()
        #expect(code == 0, "\(arguments): \(errors)", sourceLocation: location)
        return lines
    }

    /// Sends a message to the room "news" and returns its id.
    @discardableResult
    func send(_ text: String, as author: String) throws -> String {
        let lines = try run("send", "news", "--as", author, text)
        return try #require(lines.first)
    }

    /// Runs a command that must fail, and returns its exit code and the message.
    func fail(_ arguments: [String]) throws -> (code: Int32, sentence: String) {
        let (_, code, errors) = try start(arguments).end()
        return (code, errors)
    }
}

/// The parts of a line of `tail --json` that the tests use.
struct TailLine: Decodable, Hashable {
    struct Old: Decodable, Hashable { var text: String }

    var change: String?
    var id: String?
    var room: String?
    var text: String?
    var old: Old?
    var cursor: String?
}

extension ChatProcess {
    /// Returns the next line of `tail --json`.
    func tailLine() throws -> TailLine {
        let next = try #require(line(), "the tail has ended")
        return try TailLine(next)
    }

    /// Returns the cursor in the next line of `tail --json --cursors`, which must be one.
    func cursor() throws -> String {
        let line = try tailLine()
        return try #require(line.cursor)
    }

    /// Returns the next change and the cursor after it, for a change that is alone in its change
    /// set.
    func changeAndCursor() throws -> (change: TailLine, cursor: String) {
        (try tailLine(), try cursor())
    }
}

extension TailLine {
    init(_ line: String) throws {
        self = try JSONDecoder().decode(TailLine.self, from: Data(line.utf8))
    }
}

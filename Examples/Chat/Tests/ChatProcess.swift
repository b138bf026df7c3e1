import Foundation
import Testing

/// A running `chat` process whose lines are read as they arrive. It is killed with its last
/// reference, and after eight minutes at the latest, so that a test ends whatever the program does.
final class ChatProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()
    private var rest: [UInt8] = []

    init(_ arguments: [String]) throws {
        process.executableURL = Self.executable
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let watched = process
        DispatchQueue.global().asyncAfter(deadline: .now() + 480) {
            if watched.isRunning { Glibc.kill(watched.processIdentifier, SIGKILL) }
        }
    }

    deinit { kill() }

    /// Waits for the next line and returns it; `nil` at the end of the output.
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return nil }
            rest += data
        }
    }

    /// Waits for the next line, which must be a message, and returns it without its time.
    func message() -> String? { line().map(withoutTime) }

    /// Waits for the next line, which must be one of `tail --cursors` with a cursor.
    func cursor() throws -> String {
        let next = try #require(line(), "the tail has ended")
        #expect(next.hasPrefix("cursor "))
        return String(next.dropFirst(7))
    }

    /// Types a line.
    func type(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    func endInput() throws { try input.fileHandleForWriting.close() }

    /// Presses Ctrl-C.
    func interrupt() { Glibc.kill(process.processIdentifier, SIGINT) }

    /// Returns all remaining lines, the exit code of the process, and what it printed on standard
    /// error.
    func end() -> (lines: [String], code: Int32, errors: String) {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        let printed = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (lines, process.terminationStatus, String(decoding: printed, as: UTF8.self))
    }

    /// Kills the process with SIGKILL, so that no more of its code runs.
    func kill() {
        guard process.isRunning else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The `chat` executable that was built together with the tests.
    private static let executable: URL = {
        var places = [Bundle.main.executablePath, CommandLine.arguments.first]
        let arguments = CommandLine.arguments
        if let option = arguments.firstIndex(of: "--test-bundle-path"), option + 1 < arguments.count
        {
            places.append(arguments[option + 1])
        }
        for place in places.compactMap({ $0 }) {
            let folder = URL(filePath: place).resolvingSymlinksInPath().deletingLastPathComponent()
            let file = folder.appending(path: "chat")
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        fatalError("chat was not found next to \(places.compactMap { $0 }).")
    }()
}

/// Removes the time from a line with a message: "[HH:MM:SS] ".
func withoutTime(_ line: String) -> String { String(line.dropFirst(11)) }

/// A realm for one test, and the commands on it. Its files are removed with it.
final class ChatRealm {
    let folder = FileManager.default.temporaryDirectory
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
    func fail(_ arguments: String...) throws -> (code: Int32, message: String) {
        let (_, code, errors) = try start(arguments).end()
        return (code, errors)
    }
}

import Foundation

/// A running `chat`, whose lines are read as they come. It is killed when nobody holds it any more,
/// and after two minutes, so that a test ends whatever the program does.
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
        DispatchQueue.global().asyncAfter(deadline: .now() + 120) {
            if watched.isRunning { Glibc.kill(watched.processIdentifier, SIGKILL) }
        }
    }

    deinit { kill() }

    /// The next line, waited for; nil at the end of the output.
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

    /// All lines to the end, the code that the process ended with, and what it said on standard
    /// error.
    func end() -> (lines: [String], code: Int32, errors: String) {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        let told = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (lines, process.terminationStatus, String(decoding: told, as: UTF8.self))
    }

    /// Kills the process: no code of its own runs any more.
    func kill() {
        guard process.isRunning else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// `chat` beside the tests.
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
        fatalError("chat was not built beside \(places.compactMap { $0 }).")
    }()
}

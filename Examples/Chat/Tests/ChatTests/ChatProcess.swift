import Foundation

/// A running `chat` process whose lines are read as they arrive. It is killed with its last
/// reference, and after two minutes at the latest, so that a test ends whatever the program does.
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

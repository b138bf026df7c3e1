import Foundation
import Testing

/// A running `worker` process. It is killed with its last reference, and after eight minutes at the
/// latest, so that a test ends whatever the program does.
final class WorkerProcess {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    private var rest: [UInt8] = []

    init(_ arguments: [String]) throws {
        process.executableURL = Self.executable
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let watched = process
        DispatchQueue.global().asyncAfter(deadline: .now() + 480) {
            if watched.isRunning { kill(watched.processIdentifier, SIGKILL) }
        }
    }

    deinit { send(SIGKILL) }

    var id: CInt { process.processIdentifier }

    func send(_ signal: CInt) {
        if process.isRunning { kill(id, signal) }
    }

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

    /// Closes the pipe from which the output is read.
    func closeOutput() throws { try output.fileHandleForReading.close() }

    /// Waits for the end. Returns the exit code, and what was printed on standard error.
    func end() -> (code: CInt, errors: String) {
        let printed = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: printed, as: UTF8.self))
    }

    /// The `worker` executable that was built together with the tests.
    private static let executable: URL = {
        var places = [Bundle.main.executablePath, CommandLine.arguments.first]
        let arguments = CommandLine.arguments
        if let option = arguments.firstIndex(of: "--test-bundle-path"), option + 1 < arguments.count
        {
            places.append(arguments[option + 1])
        }
        for place in places.compactMap({ $0 }) {
            let folder = URL(filePath: place).resolvingSymlinksInPath().deletingLastPathComponent()
            let file = folder.appending(path: "worker")
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        fatalError("worker was not found next to \(places.compactMap { $0 }).")
    }()
}

/// The folders of one test, which are removed with it, and commands on them.
final class WorkerFolders {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "worker-test-\(UUID().uuidString)")

    var realm: URL { folder.appending(path: "worker.realm") }
    var images: String { folder.appending(path: "images").path }
    var output: String { folder.appending(path: "output").path }
    var log: URL { folder.appending(path: "output/runs.log") }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func start(_ arguments: String...) throws -> WorkerProcess { try start(arguments) }

    /// Runs a command, and returns its exit code and what it printed on standard error.
    @discardableResult
    func run(_ arguments: String...) throws -> (code: CInt, errors: String) {
        try start(arguments).end()
    }

    private func start(_ arguments: [String]) throws -> WorkerProcess {
        try WorkerProcess(["--realm", realm.path] + arguments)
    }
}

import Foundation
import Testing

/// A running `board` process. It is killed with its last reference.
final class BoardProcess: Sendable {
    /// The address of its server, such as `http://127.0.0.1:8080`.
    let address: String
    private let process: Process
    private let exit: Task<Int32, Never>

    /// Starts a server and waits until it accepts connections.
    init(realm: URL, port: Int = 0) async throws {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = ["--realm", realm.path, "--port", "\(port)"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let (exits, continuation) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            continuation.yield(process.terminationStatus)
            continuation.finish()
        }
        try process.run()
        self.process = process
        exit = Task { await exits.first { _ in true } ?? -1 }
        let file = output.fileHandleForReading
        address = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let line = String(decoding: file.availableData, as: UTF8.self)
                continuation.resume(returning: line.trimmingCharacters(in: .newlines))
            }
        }
        try #require(address.hasPrefix("http://"), "the server didn't start")
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    var port: Int { Int(address.split(separator: ":").last ?? "") ?? 0 }

    /// Sends a signal to the process, waits for its end, and returns its exit code.
    @discardableResult
    func end(with signal: Int32) async -> Int32 {
        kill(process.processIdentifier, signal)
        return await exit.value
    }

    /// The `board` executable that was built together with the tests.
    private static let executable: URL = {
        var places = [Bundle.main.executablePath, CommandLine.arguments.first]
        let arguments = CommandLine.arguments
        if let option = arguments.firstIndex(of: "--test-bundle-path"), option + 1 < arguments.count
        {
            places.append(arguments[option + 1])
        }
        for place in places.compactMap({ $0 }) {
            let folder = URL(filePath: place).resolvingSymlinksInPath().deletingLastPathComponent()
            let file = folder.appending(path: "board")
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        fatalError("board was not found next to \(places.compactMap { $0 }).")
    }()
}

/// A folder for one test, which is removed with its last reference.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory
        .appending(path: "board-test-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var realm: URL { url.appending(path: "board.realm") }
}

/// Waits until a condition holds, for at most ten seconds.
func eventually(
    location: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(10)
    while try await !condition() {
        if ContinuousClock.now > end {
            Issue.record("The condition doesn't hold.", sourceLocation: location)
            return
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}

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
        // With few descriptors, so that it has to raise the limit.
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", #"ulimit -Sn 64; exec "$@""#, "sh", Self.executable.path,
            "--realm", realm.path, "--port", "\(port)",
        ]
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

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Sends a signal to the process, waits for its end, and returns its exit code.
    @discardableResult
    func end(with signal: Int32) async -> Int32 {
        send(signal)
        return await exit.value
    }

    /// What the process takes from the system.
    struct Usage: CustomStringConvertible {
        /// The memory in MiB, and the most that it has been.
        var memory, peak: Int
        var threads, descriptors: Int

        var description: String {
            "\(memory) MiB (at most \(peak)), \(threads) threads, \(descriptors) descriptors"
        }
    }

    func usage() throws -> Usage {
        let folder = "/proc/\(process.processIdentifier)"
        let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
        func number(_ name: String) throws -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
            let digits = try #require(line).filter(\.isNumber)
            return try #require(Int(digits))
        }
        return Usage(
            memory: try number("VmRSS") / 1_024, peak: try number("VmHWM") / 1_024,
            threads: try number("Threads"),
            descriptors: try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count)
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

    /// Changes a text in the realm's log.
    func damage(_ text: String) throws {
        for file in try FileManager.default.contentsOfDirectory(
            at: realm, includingPropertiesForKeys: nil)
        {
            guard let place = try Data(contentsOf: file).range(of: Data(text.utf8)) else {
                continue
            }
            let handle = try FileHandle(forUpdating: file)
            try handle.seek(toOffset: UInt64(place.lowerBound))
            try handle.write(contentsOf: [0])
            return try handle.close()
        }
        Issue.record("The log doesn't contain \(text).")
    }
}

/// Waits until a condition holds, for at most two minutes.
func eventually(
    location: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(120)
    while try await !condition() {
        if ContinuousClock.now > end {
            Issue.record("The condition doesn't hold.", sourceLocation: location)
            return
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}

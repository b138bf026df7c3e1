import Foundation

/// When an observer received the change set that reaches a version.
struct Sighting: Sendable {
    var version: UInt64
    /// The time by CLOCK_MONOTONIC.
    var nanoseconds: Int64
}

/// This program, run again as `Observe`.
final class ObserverProcess: Sendable {
    private let process = Process()
    private let output = Pipe()
    /// Nothing is written to it. It is closed when this process exits, which makes the observer
    /// exit, too.
    private let life = Pipe()
    static let readyLine = "ready"

    init(realm: String, until version: UInt64) throws {
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["observe", realm, "--until", String(version)]
        process.standardOutput = output
        process.standardInput = life
        try process.run()
    }

    /// Returns once the observer has the first element of its stream.
    func waitUntilReady() async throws {
        let handle = output.fileHandleForReading
        let line = try await onThread { try handle.read(upToCount: Self.readyLine.count + 1) }
        guard line == Data("\(Self.readyLine)\n".utf8) else {
            throw Failure("The observer did not start.")
        }
    }

    /// Returns what it saw, in order. It exits after it has seen the last version, or is killed
    /// after 30 s.
    func sightings() async throws -> [Sighting] {
        let limit = Task {
            try await Task.sleep(for: .seconds(30))
            end()
        }
        defer { limit.cancel() }
        let handle = output.fileHandleForReading
        let data = try await onThread { try handle.readToEnd() ?? Data() }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count == 2, let version = UInt64(fields[0]), let time = Int64(fields[1])
            else { return nil }
            return Sighting(version: version, nanoseconds: time)
        }
    }

    /// Kills the observer if it still runs.
    func end() {
        if process.isRunning { process.terminate() }
    }
}

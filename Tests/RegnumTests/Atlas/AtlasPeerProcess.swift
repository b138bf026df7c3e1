import Foundation
import Glibc
import Synchronization

/// The `RegnumAtlasPeer` of a test, started once for many sequences.
final class AtlasPeerProcess: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let answers: AsyncStream<String>
    private let last = Mutex("nothing")

    init() throws {
        // a peer that is gone must end the test with a sentence, not with a signal
        signal(SIGPIPE, SIG_IGN)
        let output = Pipe()
        process.executableURL = URL(filePath: try Self.executable())
        process.standardInput = input
        process.standardOutput = output
        let (answers, continuation) = AsyncStream.makeStream(of: String.self)
        self.answers = answers
        try process.run()
        Thread.detachNewThread { [self] in
            var rest = Data()
            while true {
                let bytes = output.fileHandleForReading.availableData
                if bytes.isEmpty { break }
                rest += bytes
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: rest[..<end], as: UTF8.self)
                    last.withLock { $0 = line }
                    continuation.yield(line)
                    rest = Data(rest[(end + 1)...])
                }
            }
            continuation.finish()
        }
    }

    var processID: Int32 { process.processIdentifier }

    /// Runs a sequence with the peer. Throws what failed here or there; what the peer said last, if that
    /// is something else than what is asked for, tells of a failure there.
    func run(_ assignment: AtlasAssignment) async throws {
        try tell(assignment.line)
        do {
            try await expect("open")
            try await assignment.run(side: 0) { [self] place in
                try tell("\(place)")
                try await expect("\(place)")
            }
            try await expect("ok")
        } catch {
            throw AtlasFailure("\(error) (the peer process said last: \(last.withLock { $0 }))")
        }
    }

    private func tell(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    private func expect(_ line: String) async throws {
        var iterator = answers.makeAsyncIterator()
        guard let answer = await iterator.next(isolation: #isolation) else {
            if Task.isCancelled {
                throw AtlasFailure("waits for the peer process to say \(line)")
            }
            throw AtlasFailure("the peer process is gone: \(ending)")
        }
        if answer != line { throw AtlasFailure("the peer process: \(answer)") }
    }

    private var ending: String {
        process.waitUntilExit()
        let kind = process.terminationReason == .exit ? "status" : "signal"
        return "\(kind) \(process.terminationStatus)"
    }

    /// Ends the peer, wherever it stands.
    func kill() {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// The executable is built beside the tests.
    private static func executable() throws -> String {
        var places = [Bundle.main.executablePath, CommandLine.arguments.first]
        let arguments = CommandLine.arguments
        if let option = arguments.firstIndex(of: "--test-bundle-path"), option + 1 < arguments.count
        {
            places.append(arguments[option + 1])
        }
        for place in places.compactMap({ $0 }) {
            let folder = URL(filePath: place).resolvingSymlinksInPath().deletingLastPathComponent()
            let path = folder.appending(path: "RegnumAtlasPeer").path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw AtlasFailure("RegnumAtlasPeer was not built beside \(places.compactMap { $0 })")
    }
}

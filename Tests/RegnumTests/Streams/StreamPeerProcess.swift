import Foundation
import Glibc

/// The `RegnumStreamPeer` of a test, started once for many histories.
final class StreamPeerProcess: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let answers: AsyncStream<String>

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
        Thread.detachNewThread {
            var rest = Data()
            while true {
                let bytes = output.fileHandleForReading.availableData
                if bytes.isEmpty { break }
                rest += bytes
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            continuation.finish()
        }
    }

    var processID: Int32 { process.processIdentifier }

    /// Has the peer run its half of a history. Throws what failed there.
    func run(_ assignment: StreamAssignment) async throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(assignment.line)\n".utf8))
        var iterator = answers.makeAsyncIterator()
        let answer = await iterator.next()
        try Task.checkCancellation()
        guard let answer else { throw StreamFailure("it is gone: \(ending)") }
        if answer != "ok" { throw StreamFailure(answer) }
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
            let path = folder.appending(path: "RegnumStreamPeer").path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw StreamFailure("RegnumStreamPeer was not built beside \(places.compactMap { $0 })")
    }
}

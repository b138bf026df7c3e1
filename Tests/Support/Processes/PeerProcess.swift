package import Foundation
internal import Glibc
internal import RegnumStore

/// The second process of a test: a program that was built together with the tests and is started
/// once for many runs. The two sides exchange lines of text.
package final class PeerProcess: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let answers: AsyncStream<String>
    private let state = Guarded(State())

    private struct State {
        var last = "nothing"
        /// The line that the peer is expected to send.
        var awaited: String?
        /// The number of received lines that this side hasn't consumed yet, for example because it
        /// waits for a processor.
        var unread = 0
        /// The number of watchdog ticks since the last line.
        var quietTurns = 0
        /// Whether the watchdog killed the peer because it was silent for too long.
        var isSilent = false
        var isGone = false
    }

    /// The number of watchdog ticks, one per second, for which the peer may be silent while a line
    /// is expected. Ticks are counted instead of measuring time: on a machine too busy to run the
    /// peer, the watchdog doesn't run either.
    package static let patience = 120

    package init(_ program: String, _ arguments: [String] = []) throws {
        // A peer that has exited must fail the test with a message, not kill it with a signal.
        signal(SIGPIPE, SIG_IGN)
        let output = Pipe()
        process.executableURL = try BuiltProduct.file(program)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        let (answers, continuation) = AsyncStream.makeStream(of: String.self)
        self.answers = answers
        try process.run()
        Thread.detachNewThread { [self] in
            read(output.fileHandleForReading, continuation)
        }
        Thread.detachNewThread { [self] in watch() }
    }

    package var processID: Int32 { process.processIdentifier }

    /// The last line that the peer sent.
    package var last: String { state.withLock { $0.last } }

    package func tell(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Returns the next line, however long it takes. Throws if the peer exits or the task is
    /// cancelled.
    package func answer() async throws -> String {
        var iterator = answers.makeAsyncIterator()
        guard let answer = await iterator.next(isolation: #isolation) else {
            try Task.checkCancellation()
            throw PeerFailure("the peer process ended: \(ending)")
        }
        state.withLock { $0.unread -= 1 }
        return answer
    }

    /// Waits for the peer to send this line; any other line is an error. A peer that is silent for
    /// too long is killed.
    package func expect(_ line: String) async throws {
        state.withLock { ($0.awaited, $0.quietTurns) = (line, 0) }
        defer { state.withLock { $0.awaited = nil } }
        let answer: String
        do {
            answer = try await self.answer()
        } catch is CancellationError {
            throw PeerFailure("cancelled while waiting for the peer process to send \(line)")
        } catch {
            if state.withLock({ $0.isSilent }) {
                throw PeerFailure(
                    "the peer process was silent for \(Self.patience) seconds instead of \(line)")
            }
            throw error
        }
        if answer != line { throw PeerFailure("the peer process: \(answer)") }
    }

    /// Runs one half here while the peer runs the other one, in lockstep; `PeerProgram` is the
    /// other side. Throws an error of either side. If the peer's last line isn't the expected one,
    /// it describes a failure there for which this half may have been waiting.
    package func share(
        _ assignment: PeerAssignment,
        half: (@escaping @Sendable (Int) async throws -> Void) async throws -> Void
    ) async throws {
        try tell(assignment.line)
        do {
            try await expect("open")
            try await half { [self] place in
                try tell("\(place)")
                try await expect("\(place)")
            }
            try await expect("ok")
        } catch {
            throw PeerFailure("\(error) (the peer process last sent: \(last))")
        }
    }

    /// Kills the peer, whatever it is doing.
    package func kill() {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    private var ending: String {
        process.waitUntilExit()
        let kind = process.terminationReason == .exit ? "status" : "signal"
        return "\(kind) \(process.terminationStatus)"
    }

    // MARK: Threads

    private func read(_ output: FileHandle, _ lines: AsyncStream<String>.Continuation) {
        var rest = Data()
        while true {
            let bytes = output.availableData
            if bytes.isEmpty { break }
            rest += bytes
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                state.withLock { state in
                    (state.last, state.quietTurns) = (line, 0)
                    state.unread += 1
                }
                lines.yield(line)
                rest = Data(rest[(end + 1)...])
            }
        }
        state.withLock { $0.isGone = true }
        lines.finish()
    }

    private func watch() {
        while true {
            Thread.sleep(forTimeInterval: 1)
            let isSilent: Bool? = state.withLock { state in
                if state.isGone { return nil }
                state.quietTurns += 1
                state.isSilent =
                    state.awaited != nil && state.unread == 0
                    && state.quietTurns > Self.patience
                return state.isSilent
            }
            guard let isSilent else { return }
            if isSilent { return kill() }
        }
    }
}

extension PeerProcess {
    /// Makes a new directory for realms that two processes share, in memory where `/dev/shm`
    /// exists.
    package static func makeDirectory() throws -> URL {
        let memory = URL(filePath: "/dev/shm")
        let parent =
            FileManager.default.fileExists(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
        let directory = parent.appending(path: "regnum-peers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }
}

/// An unexpected behavior of the peer process.
package struct PeerFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

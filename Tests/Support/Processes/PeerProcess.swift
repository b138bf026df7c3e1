package import Foundation
internal import Glibc
internal import Synchronization

/// The second process of a test: a program that was built beside the tests, started once for many runs. Both
/// sides speak in lines.
package final class PeerProcess: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let answers: AsyncStream<String>
    private let state = Mutex(State())

    private struct State {
        var last = "nothing"
        /// What the peer is to say.
        var awaited: String?
        /// Lines that this side has not taken, which may have to wait for a processor.
        var unread = 0
        /// How many turns of the watch nothing came.
        var quietTurns = 0
        /// Whether the watch ended the peer, since it said nothing for so long.
        var isSilent = false
        var isGone = false
    }

    /// So many turns of the watch, one a second, the peer may say nothing where it is to say something. It
    /// counts turns of its own and not the clock: where the machine has no time for the peer, it has none
    /// for the watch.
    package static let patience = 120

    package init(_ program: String, _ arguments: [String] = []) throws {
        // a peer that is gone must end the test with a sentence, not with a signal
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

    /// What the peer said last.
    package var last: String { state.withLock { $0.last } }

    package func tell(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// The next line, however long it takes. Throws if the peer ends, or the task is cancelled.
    package func answer() async throws -> String {
        var iterator = answers.makeAsyncIterator()
        guard let answer = await iterator.next(isolation: #isolation) else {
            try Task.checkCancellation()
            throw PeerFailure("the peer process is gone: \(ending)")
        }
        state.withLock { $0.unread -= 1 }
        return answer
    }

    /// Waits for the peer to say this, and for nothing else. A peer that says nothing for too long is ended.
    package func expect(_ line: String) async throws {
        state.withLock { ($0.awaited, $0.quietTurns) = (line, 0) }
        defer { state.withLock { $0.awaited = nil } }
        let answer: String
        do {
            answer = try await self.answer()
        } catch is CancellationError {
            throw PeerFailure("waits for the peer process to say \(line)")
        } catch {
            if state.withLock({ $0.isSilent }) {
                throw PeerFailure(
                    "the peer process said nothing for \(Self.patience) seconds instead of \(line)")
            }
            throw error
        }
        if answer != line { throw PeerFailure("the peer process: \(answer)") }
    }

    /// Runs one half here, while the peer runs the other one, place by place: `PeerProgram` is its side of
    /// this. Throws what failed here or there; what the peer said last, if that is something else than what
    /// is asked for, tells of a failure there for which this half may have waited.
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
            throw PeerFailure("\(error) (the peer process said last: \(last))")
        }
    }

    /// Ends the peer, wherever it stands.
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
    /// A new directory for realms that two processes share: in memory where `/dev/shm` exists.
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

/// Something about a second process that is not as it must be.
package struct PeerFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

import Foundation
import Glibc
import RegnumTestSupport
import Synchronization

/// How long a test waits for something that must happen. Only a broken program takes that long,
/// even on a machine that is much slower than usual.
let timeLimit = Duration.seconds(400)

/// The exit of a child.
enum Ending: Sendable, Hashable {
    case exited(Int32)
    case killed(signal: Int32)
}

/// A failure of a child to do something.
struct ChildFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A running `RegnumCrashChild`. Its output is collected as it arrives.
final class ChildProcess: Sendable {
    let arguments: [String]
    let pid: pid_t
    /// `nil` while the child runs. Once set, its output is complete.
    let ending = Watched<Ending?>(nil)
    private let output = Watched(PrintedLines())
    private let errors = Watched(PrintedLines())
    /// The driver's end of the child's standard input, -1 once it is closed.
    private let input: Mutex<Int32>
    /// Whether the system may have reused the process id.
    private let isReaped = Mutex(false)

    init(_ arguments: [String]) throws {
        self.arguments = arguments
        let spawned = try SpawnedProcess(BuiltProduct.file("RegnumCrashChild").path, arguments)
        pid = spawned.pid
        input = Mutex(spawned.input)
        let errorsEnd = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [errors] in
            errors.collect(spawned.errors)
            errorsEnd.signal()
        }
        Thread.detachNewThread { [self] in
            output.collect(spawned.output)
            errorsEnd.wait()
            reap()
        }
    }

    deinit { closeInput() }

    /// The lines printed so far.
    var lines: [String] { output.read { $0.lines } }
    var lineCount: Int { output.read { $0.lines.count } }
    /// A line that was begun but not finished.
    var partialLine: String { output.read { String(decoding: $0.rest, as: UTF8.self) } }
    var isRunning: Bool { ending.read { $0 == nil } }

    var description: String {
        let errors = errors.read { $0.lines.joined(separator: "\n") }
        let state = ending.read { $0.map { "\($0)" } ?? "running" }
        return
            "\(arguments.joined(separator: " ")) (\(pid), \(state), \(lineCount) lines) \(errors)"
    }

    /// Waits until the child has printed that many lines, and returns them.
    func lines(_ count: Int) async throws -> [String] {
        let isThere = await output.wait(within: timeLimit) { $0.lines.count >= count || $0.isEnded }
        let lines = lines
        guard isThere, lines.count >= count else {
            throw ChildFailure("\(count) lines expected of \(description)")
        }
        return Array(lines.prefix(count))
    }

    /// Waits for the child to exit.
    @discardableResult func end() async throws -> Ending {
        guard await ending.wait(within: timeLimit, until: { $0 != nil }),
            let ending = ending.read({ $0 })
        else { throw ChildFailure("expected to exit:  \(description)") }
        return ending
    }

    /// Waits for the child to exit, which must be with success.
    func expectSuccess() async throws {
        guard try await end() == .exited(0) else {
            throw ChildFailure("expected to succeed:  \(description)")
        }
    }

    /// Waits for a child that was sent SIGTERM to exit, which must be with success. One that was
    /// just started, and has printed nothing, may have been killed by the signal.
    func expectTermination() async throws {
        if try await end() == .killed(signal: SIGTERM), lineCount == 0 { return }
        try await expectSuccess()
    }

    /// Writes lines to the child's standard input. A child that has exited doesn't get them.
    func type(_ lines: [String]) throws {
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        let (count, number) = input.withLock { input in
            let count = Glibc.send(input, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            return (count, errno)
        }
        guard count == bytes.count || (count < 0 && (number == EPIPE || number == ECONNRESET))
        else { throw ChildFailure("wrote \(count) of \(bytes.count) bytes to \(description)") }
    }

    func closeInput() {
        input.withLock { input in
            if input >= 0 { close(input) }
            input = -1
        }
    }

    /// Sends a signal, if the child still exists.
    func signal(_ number: Int32) {
        isReaped.withLock { isReaped in
            if !isReaped { kill(pid, number) }
        }
    }

    /// Stops the child with SIGSTOP, and returns once it has stopped.
    func stop() throws {
        signal(SIGSTOP)
        var status: Int32 = 0
        guard waitpid(pid, &status, WUNTRACED) == pid, status & 0xFF == 0x7F else {
            throw ChildFailure("expected to stop:  \(description)")
        }
    }

    /// Runs on the thread that reads the output.
    private func reap() {
        // Waits without reaping, so that a concurrent signal can't reach another process.
        var information = siginfo_t()
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        var status: Int32 = 0
        isReaped.withLock { isReaped in
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            isReaped = true
        }
        let end: Ending =
            status & 0x7F == 0
            ? .exited(status >> 8 & 0xFF) : .killed(signal: status & 0x7F)
        ending.update { $0 = end }
    }
}

/// The lines received through a pipe.
private struct PrintedLines {
    var lines: [String] = []
    var rest: [UInt8] = []
    var isEnded = false

    mutating func append(_ bytes: ArraySlice<UInt8>) {
        var pieces = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let last = pieces.removeLast()
        for piece in pieces {
            lines.append(String(decoding: rest + piece, as: UTF8.self))
            rest = []
        }
        rest += last
    }
}

extension Watched<PrintedLines> {
    /// Reads a pipe to its end and closes it.
    fileprivate func collect(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 {
                update { $0.append(buffer[..<count]) }
            } else if count == 0 || errno != EINTR {
                break
            }
        }
        close(descriptor)
        update { $0.isEnded = true }
    }
}

import Foundation
import Glibc
import RegnumTestSupport
import Synchronization

/// The tool `regnum`, run as a process.
final class ToolProcess: Sendable {
    /// Its exit code and output.
    struct Result: Sendable {
        /// The exit code, or the negative number of the signal that killed it.
        let code: Int32
        let output: String
        let errors: String
    }

    private let outputFile: URL
    private let errorFile: URL
    /// The driver's end of the standard input, -1 once it is closed.
    private let input: Mutex<Int32>
    let pid: pid_t
    private let end: AsyncStream<Int32>

    /// - Parameter outputDescriptor: The descriptor of its standard output; `nil` for a file.
    init(_ arguments: [String], in folder: ToolFolder, output outputDescriptor: Int32? = nil) throws
    {
        let name = UUID().uuidString
        outputFile = folder["\(name).out"]
        errorFile = folder["\(name).err"]
        for file in [outputFile, errorFile] { try Data().write(to: file) }
        let ends = try Self.pipe()
        input = Mutex(ends[1])
        let process = Process()
        process.executableURL = try BuiltProduct.file("regnum")
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        let handles = [
            FileHandle(fileDescriptor: ends[0], closeOnDealloc: false),
            try outputDescriptor.map { FileHandle(fileDescriptor: $0, closeOnDealloc: false) }
                ?? FileHandle(forWritingTo: outputFile),
            try FileHandle(forWritingTo: errorFile),
        ]
        process.standardInput = handles[0]
        process.standardOutput = handles[1]
        process.standardError = handles[2]
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        end = stream
        process.terminationHandler = { process in
            continuation.yield(
                process.terminationReason == .exit
                    ? process.terminationStatus : -process.terminationStatus)
            continuation.finish()
        }
        try process.run()
        // Only the child has them now, so that its exit is seen.
        for handle in handles { try handle.close() }
        pid = process.processIdentifier
    }

    deinit { closeInput() }

    /// Returns the reading and the writing end. Uses sockets, since these can be created
    /// close-on-exec atomically, even if another process is started concurrently.
    static func pipe() throws -> [Int32] {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw ToolFailure("Can't create a pipe.")
        }
        // Little data is buffered at any time.
        var size: Int32 = 8192
        setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        return ends
    }

    /// Writes to the standard input, waiting while the pipe is full; returns `false` if nobody
    /// reads it any more.
    @discardableResult
    func type(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        let descriptor = input.withLock { $0 }
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    func closeInput() {
        input.withLock { input in
            if input >= 0 { close(input) }
            input = -1
        }
    }

    /// Kills it immediately. It hasn't been reaped, so the process id is still its own.
    func kill() { Glibc.kill(pid, SIGKILL) }

    /// Sends SIGTERM to the process once a directory isn't empty. (Scripts let their background
    /// processes, and what these start, ignore SIGINT.) A thread of its own watches the directory,
    /// because a task may have to wait for other tests until the process has ended. The process is
    /// stopped while the thread looks, because on a busy machine a process that runs has more time
    /// than one that waits.
    func terminate(onceSomethingIsIn directory: URL) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                // Its files are there for good if it ends by itself.
                while Glibc.kill(self.pid, SIGSTOP) == 0 {
                    let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
                    if names?.isEmpty == false { break }
                    Glibc.kill(self.pid, SIGCONT)
                    usleep(500)
                }
                Glibc.kill(self.pid, SIGTERM)
                Glibc.kill(self.pid, SIGCONT)
                continuation.resume()
            }
        }
    }

    /// Waits for it to exit.
    func result() async throws -> Result {
        guard let code = await end.first(where: { _ in true }) else {
            throw ToolFailure("The tool did not exit in time.")
        }
        return Result(
            code: code, output: try String(contentsOf: outputFile, encoding: .utf8),
            errors: try String(contentsOf: errorFile, encoding: .utf8))
    }
}

struct ToolFailure: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// A directory for one test, removed with its last reference.
final class ToolFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "tool-\(UUID().uuidString)")

    init() throws {
        signal(SIGPIPE, SIG_IGN)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    subscript(_ name: String) -> URL { url.appending(path: name) }

    /// Runs the tool to its end.
    func run(_ arguments: String..., input: String = "") async throws -> ToolProcess.Result {
        let process = try ToolProcess(arguments, in: self)
        process.type(input)
        process.closeInput()
        return try await process.result()
    }
}

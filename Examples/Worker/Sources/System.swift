import Foundation

/// The reader of standard output is gone.
struct OutputClosed: Error {}

/// Writes text to standard output or another file, without buffering.
func printNow(_ text: String, to descriptor: CInt = STDOUT_FILENO) throws {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 {
            bytes = bytes.dropFirst(count)
        } else if errno == EPIPE {
            throw OutputClosed()
        } else if errno != EINTR {
            throw Failure.system("Can't write the output")
        }
    }
}

/// Runs `body` until it ends, or until Ctrl-C or SIGTERM cancels it, which is a normal end.
func untilInterrupted(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let (registered, register) = AsyncStream<Void>.makeStream()
    let task = Task {
        // not before both signals are handled
        for await _ in registered.prefix(2) {}
        try await body()
    }
    let sources = [SIGINT, SIGTERM].map { number in
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { task.cancel() }
        source.setRegistrationHandler { register.yield() }
        source.resume()
        return source
    }
    defer { for source in sources { source.cancel() } }
    do {
        try await task.value
    } catch is CancellationError {
    }
}

/// Runs a body that may block, on a thread outside of the pool that asynchronous code shares.
func blocking<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
    }
}

/// Replaces a file in one step, so that a process that is killed leaves the old or the new one, and
/// syncs it, so that a job that is done keeps its result if the power fails.
func replace(_ file: URL, with bytes: [UInt8]) throws {
    let folder = file.deletingLastPathComponent()
    let draft = folder.appending(path: ".\(UUID()).draft")
    guard FileManager.default.createFile(atPath: draft.path, contents: Data(bytes)) else {
        throw Failure("Can't write to \(folder.path).")
    }
    try sync(draft)
    guard rename(draft.path, file.path) == 0 else {
        throw Failure.system("Can't replace \(file.path)")
    }
    try sync(folder)
}

private func sync(_ file: URL) throws {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    guard descriptor >= 0, fsync(descriptor) == 0 else {
        throw Failure.system("Can't sync \(file.path)")
    }
}

/// Creates a folder unless it exists.
func createFolder(_ folder: URL) throws {
    do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
        throw Failure("Can't create the folder \(folder.path).")
    }
}

public import Foundation

/// Runs a process that adds notes to a realm, and returns its exit code.
///
/// - Parameter key: the path of the file with the realm's key; `nil` if it isn't encrypted.
public func runPeer(_ directory: URL, noteCount: Int, key: URL? = nil) async throws -> Int32 {
    try await runPeer([directory.path, "\(noteCount)"] + (key.map { [$0.path] } ?? []))
}

/// Runs a process that enqueues a `Mail`, and returns its exit code.
public func runPeerThatEnqueues(_ directory: URL) async throws -> Int32 {
    try await runPeer([directory.path, "mail"])
}

private func runPeer(_ arguments: [String]) async throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "peer")
    process.arguments = arguments
    let (ended, end) = AsyncStream<Void>.makeStream()
    process.terminationHandler = { _ in end.finish() }
    try process.run()
    for await _ in ended {}
    return process.terminationStatus
}

import Foundation
import Synchronization

/// The children of one test and the directory of its realm.
final class ChildGroup: Sendable {
    let directory: URL
    private let children = Mutex<[ChildProcess]>([])

    fileprivate init() throws {
        directory = FileManager.default.temporaryDirectory
            .appending(path: "regnum-process-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    /// The path of the realm that the children share.
    var realm: String { directory.appending(path: "chat.realm").path }

    /// Starts a child on the shared realm; `arguments` follow the realm's path.
    func start(_ command: String, _ arguments: String...) throws -> ChildProcess {
        try start(command, on: realm, arguments)
    }

    func start(_ command: String, on path: String, _ arguments: [String]) throws -> ChildProcess {
        let child = try ChildProcess([command, path] + arguments)
        children.withLock { $0.append(child) }
        return child
    }

    /// Forgets children that have exited.
    func forgetEnded() {
        children.withLock { $0.removeAll { !$0.isRunning } }
    }

    /// Kills all children that still run, and waits for them to exit.
    fileprivate func end() async throws {
        let children = children.withLock { $0 }
        for child in children { child.signal(SIGKILL) }
        for child in children { try await child.end() }
    }
}

/// Runs `body` with a new directory. Afterwards no child is left and the directory is removed; if
/// the body threw, it stays, and its path is printed.
func withChildren<R>(_ body: (ChildGroup) async throws -> R) async throws -> R {
    let group = try ChildGroup()
    do {
        let result = try await body(group)
        try await group.end()
        try? FileManager.default.removeItem(at: group.directory)
        return result
    } catch {
        print("The files of the failed test are in \(group.directory.path)")
        try? await group.end()
        throw error
    }
}

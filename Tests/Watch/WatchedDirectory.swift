import Foundation
import RegnumStore
import Synchronization

@testable import RegnumWatch

/// A temporary directory with the file LOCK, and with other files to write to.
final class WatchedDirectory: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("regnum-watch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
        write("LOCK")
    }

    /// Creates the file, or replaces its only byte: one file system event if it exists.
    func write(_ name: String, times: Int = 1) {
        let descriptor = open("\(path)/\(name)", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        precondition(descriptor >= 0, "cannot open \(name)")
        var byte: UInt8 = 1
        for _ in 0..<times { pwrite(descriptor, &byte, 1, 0) }
        close(descriptor)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Counts hints and lets a test wait for them.
final class HintCounter: Sendable {
    private let total = Atomic<Int>(0)
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    var count: Int { total.load(ordering: .sequentiallyConsistent) }

    func hint() {
        total.add(1, ordering: .sequentiallyConsistent)
        continuation.yield()
    }

    /// Returns once there were `count` hints in total. One waiter at a time.
    func reach(_ count: Int) async {
        var iterator = stream.makeAsyncIterator()
        while self.count < count { await iterator.next() }
    }
}

/// Returns the number of threads of this process with that name.
func threadCount(named name: String) -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.count { task in
        let comm = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
        return comm == name + "\n"
    }
}

/// A token that can be captured by a hint.
final class TokenBox: Sendable {
    let token = Guarded<WatchToken?>(nil)
}

import BenchmarkKit
import Foundation
import Glibc

/// The limit set by the disk: `pwrite` and `fdatasync` into a file of zeros, back to back, on a
/// thread.
struct Floor: Workload {
    static let name = "append-fdatasync"
    private static let commitCount = 1_000

    var name: String { Self.name }
    /// It is measured together with the workloads that it bounds.
    var isPartOfAll: Bool { false }
    var notes: [String] {
        ["\(name) writes 200 bytes, \(name)-4k 4,096; each the p50 of a round."]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        [try Self.contender(setting)]
    }

    /// Both floors.
    static func contender(_ setting: Setting) throws -> Contender {
        let small = try ZeroedFile(setting.directory, "floor-200", 200, commitCount)
        let page = try ZeroedFile(setting.directory, "floor-4k", 4_096, commitCount)
        return Contender(.raw) {
            try await onThread {
                [
                    Sample(name, try small.appendAll(), .microseconds),
                    Sample("\(name)-4k", try page.appendAll(), .microseconds),
                ]
            }
        }
    }
}

/// A file of zeros on disk, written from its start again in each round.
private final class ZeroedFile: Sendable {
    private let descriptor: Int32
    private let block: [UInt8]
    private let count: Int

    init(_ directory: URL, _ name: String, _ blockByteCount: Int, _ count: Int) throws {
        let path = directory.appending(path: name).path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("\(path): \(String(cString: strerror(errno)))") }
        block = [UInt8](repeating: 0xA5, count: blockByteCount)
        self.count = count
        let zeros = [UInt8](repeating: 0, count: blockByteCount * count)
        guard pwrite(descriptor, zeros, zeros.count, 0) == zeros.count, fsync(descriptor) == 0
        else { throw Failure("\(path): \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// Returns the p50 of one append, in microseconds.
    func appendAll() throws -> Double {
        let times = try microsecondsEach(Array(0..<count)) { index in
            let offset = index * block.count
            guard pwrite(descriptor, block, block.count, offset) == block.count,
                fdatasync(descriptor) == 0
            else { throw Failure("append: \(String(cString: strerror(errno)))") }
        }
        return Statistics.percentile(times, 0.5)
    }
}

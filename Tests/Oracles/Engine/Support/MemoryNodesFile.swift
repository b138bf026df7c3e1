import RegnumSimulation
import RegnumStore
import RegnumTestSupport

@testable import RegnumEngine

/// A nodes file in memory whose bytes a test may modify.
///
/// Guard of the unchecked Sendable: one test uses it, on one task.
final class MemoryNodesFile: CheckpointSink, NodeBytes, @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var end = 4096
    /// The number of bytes that can be appended before the sink fails.
    var room = Int.max

    init(byteCount: Int = 48 << 20) {
        memory = .allocate(byteCount: byteCount, alignment: 4096)
    }

    deinit { memory.deallocate() }

    var bytes: any NodeBytes { self }

    func append(parts: [UnsafeRawBufferPointer]) throws(StoreError) -> UInt64 {
        end = (end + 63) & ~63
        let start = end
        for part in parts {
            guard part.count <= room, part.count <= memory.count - end else {
                throw StoreError(.diskFull, "No space left in the test's file.")
            }
            room -= part.count
            UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + part.count])
                .copyMemory(from: part)
            end += part.count
        }
        return UInt64(start)
    }

    func bytes(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer {
        guard count >= 0, offset <= UInt64(end), UInt64(count) <= UInt64(end) - offset else {
            throw StoreError(.invalidDatabase, "The range is beyond the end of the test's file.")
        }
        return UnsafeRawBufferPointer(rebasing: memory[Int(offset)..<Int(offset) + count])
    }

    subscript(offset: Int) -> UInt8 {
        get { memory[offset] }
        set { memory[offset] = newValue }
    }

    func truncate(to end: Int) { self.end = end }
}

/// A checkpoint made by a test: its location, and how to load it.
struct TestCheckpoint {
    var written: WrittenCheckpoint
    var version: UInt64
    var seed: Identity128

    init(_ root: DatabaseRoot, to file: MemoryNodesFile) throws {
        var writer = CheckpointWriter(root, to: file)
        written = try writer.write()
        version = root.version
        seed = root.content.context.seed
    }

    func load(from file: MemoryNodesFile) throws -> DatabaseRoot {
        try CheckpointLoader.load(
            written.directory, version: version, from: file, seed: seed)
    }

    /// Sets the checksum to that of the current bytes.
    mutating func fixChecksum(in file: MemoryNodesFile) throws {
        let bytes = try file.bytes(
            at: written.directory.extent, count: Int(written.directory.byteCount))
        written.directory.crc = Checksum.crc32c(bytes)
    }

    /// The range of the directory image in the file.
    var directory: Range<Int> {
        let start = Int(written.directory.extent)
        return start..<start + Int(written.directory.byteCount)
    }
}

import Glibc
import RegnumTestSupport
import Testing

@testable import RegnumStore

/// A nodes file whose bytes can't be loaded.
@Suite struct UnreadableNodesTests {
    /// Mappings live as long as the file, so repeated attempts must not add any.
    // Covers .ioFailed
    @Test func bytesThatCannotBeLoadedAreMappedOnce() throws {
        let store = FailingFile()
        var options = StoreOptions()
        options.nodesWindowByteCount = 16_384
        let file = try NodesFile(
            number: 1, path: "nodes-1", file: store, fileKey: nil, abandoned: Guarded([]),
            options: options)
        for count in [100, 16_384] {
            for _ in 0..<3 {
                expectEqual(codeThrown { _ = try file.bytes(at: 4_096, count: count) }, .ioFailed)
            }
        }
        // The window, and the range that crosses its end.
        expectEqual(store.mapCount, 2)
    }
}

/// A file that can be mapped but not read.
private final class FailingFile: StoreFile {
    private let maps = Guarded(0)

    var mapCount: Int { maps.withLock { $0 } }

    var isRemoved: Bool { false }
    func size() -> UInt64 { 1 << 20 }
    func read(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] { throw failure }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {}
    func release(from offset: UInt64) {}
    func sync() {}
    func map(at offset: UInt64, count: Int) -> UnsafeRawBufferPointer? {
        maps.withLock { $0 += 1 }
        // Never accessed.
        return UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: 4_096), count: count)
    }
    func populate(
        _ bytes: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(StoreError) -> Bool { throw failure }

    private var failure: StoreError { StoreError(.ioFailed, "The disk can't be read.", errno: EIO) }
}

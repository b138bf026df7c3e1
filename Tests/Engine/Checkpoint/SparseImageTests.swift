import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// A sparse nodes file that counts the bytes read.
///
/// Guard of the unchecked Sendable: one test uses it, on one task.
private final class SparseFile: NodeBytes, NodesFiles, @unchecked Sendable {
    private var parts: [(offset: UInt64, bytes: [UInt8])] = []
    private var copies: [UnsafeMutableRawBufferPointer] = []
    private(set) var readByteCount = 0

    deinit { for copy in copies { copy.deallocate() } }

    func put(_ bytes: [UInt8], at offset: UInt64) { parts.append((offset, bytes)) }

    func bytes(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer {
        readByteCount += count
        guard count <= 64 << 20 else {
            throw StoreError(.ioFailed, "The test's file is asked for \(count) bytes at once.")
        }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
        copy.initializeMemory(as: UInt8.self, repeating: 0)
        copies.append(copy)
        let end = offset + UInt64(count)
        for part in parts {
            let from = max(part.offset, offset)
            let to = min(part.offset + UInt64(part.bytes.count), end)
            guard from < to else { continue }
            let bytes = part.bytes[Int(from - part.offset)..<Int(to - part.offset)]
            UnsafeMutableRawBufferPointer(rebasing: copy[Int(from - offset)...])
                .copyBytes(from: bytes)
        }
        return UnsafeRawBufferPointer(copy)
    }

    func bytes(ofFile number: UInt64) throws(StoreError) -> any NodeBytes { self }
}

/// Images that are claimed to be larger than the data in the file: only the data is read.
@Suite struct SparseImageTests {
    private static let claimedByteCount = 1 << 38
    private static let piece: UInt64 = 64 << 20

    @discardableResult
    private func expectPromptError(
        _ file: SparseFile, _ load: () throws -> Void
    ) -> StoreError? {
        let error = #expect(throws: StoreError.self) { try load() }
        expectEqual(error?.code, .invalidDatabase)
        expectTrue(file.readByteCount <= 256 << 20)
        return error
    }

    /// The directory of a class without rows, whose property has an index.
    private func makeDirectory() throws -> (bytes: [UInt8], checkpoint: TestCheckpoint) {
        let column = ColumnDefinition(name: "n", type: .int, isIndexed: true)
        let file = MemoryNodesFile(byteCount: 1 << 20)
        let checkpoint = try TestCheckpoint(ScanContent("A", [column]).root, to: file)
        return (checkpoint.directory.map { file[$0] }, checkpoint)
    }

    // Covers .invalidDatabase
    @Test func directoryThatClaimsAHoleIsRefusedAtOnce() throws {
        let (directory, checkpoint) = try makeDirectory()
        var images = [[], directory]
        // the length of the schema, the numbers of clusters and of leaves of the index
        for place in [24, directory.count - 24, directory.count - 12] {
            var image = directory
            image.replaceSubrange(place..<place + 4, with: [255, 255, 255, 255])
            images.append(image)
        }
        var newer = directory
        newer[4] ^= 2  // the format
        images.append(newer)
        for image in images {
            let file = SparseFile()
            file.put(image, at: 4096)
            expectPromptError(file) {
                _ = try CheckpointLoader.load(
                    SizedImage(
                        extent: 4096, byteCount: UInt64(Self.claimedByteCount), crc: 1),
                    version: checkpoint.version, from: file, seed: checkpoint.seed)
            }
        }
    }

    /// A commit in bulk, in a file with everything but its delta.
    private func makeBulk() throws -> (
        file: SparseFile, written: WrittenCheckpoint, commit: Commit, base: DatabaseRoot
    ) {
        var content = try CheckpointContent(SeededRandom("SparseImageTests"))
        try content.insertEverything(60)
        try content.insertText(40)
        let base = content.root
        let transaction = EngineTransaction(base: base)
        for key in transaction.keys(CheckpointContent.everything) {
            try transaction.set(
                CheckpointContent.everything, key, ColumnKey(rawValue: 1), .bool(true))
        }
        let commit = try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0)
        let memory = MemoryNodesFile()
        let written = try TestCheckpoint(commit.root, to: memory).written
        let file = SparseFile()
        let image = try memory.bytes(at: 0, count: memory.end)
        file.put(Array(image), at: 0)
        return (file, written, commit, base)
    }

    // Covers .invalidDatabase
    @Test func deltaThatClaimsAHoleIsRefusedAtOnce() throws {
        for isEmpty in [true, false] {
            let (file, written, commit, base) = try makeBulk()
            let delta = SizedImage(
                extent: Self.piece + 64, byteCount: UInt64(Self.claimedByteCount), crc: 1)
            if !isEmpty { file.put(DeltaBlob.encode(commit.summary), at: delta.extent) }
            let bulk = BulkCommit(fileNumber: 1, directory: written.directory, delta: delta)
            expectPromptError(file) {
                _ = try bulk.load(
                    version: commit.root.version, origin: nil, after: base, file)
            }
        }
    }

    // Covers .invalidDatabase
    @Test func imagesHaveLessThanATerabyte() throws {
        let (directory, checkpoint) = try makeDirectory()
        for excess in [-1, 0, 1] {
            let byteCount = Limits.maximumImageByteCount.advanced(by: excess)
            let large = SparseFile()
            large.put(directory, at: 4096)
            let refusal = expectPromptError(large) {
                _ = try CheckpointLoader.load(
                    SizedImage(extent: 4096, byteCount: byteCount, crc: 1),
                    version: checkpoint.version, from: large, seed: checkpoint.seed)
            }
            expectEqual(refusal?.message.contains("checkpoint is too large"), excess > 0)
            let (file, written, commit, base) = try makeBulk()
            let delta = SizedImage(extent: Self.piece + 64, byteCount: byteCount, crc: 1)
            file.put(DeltaBlob.encode(commit.summary), at: delta.extent)
            let bulk = BulkCommit(fileNumber: 1, directory: written.directory, delta: delta)
            let error = expectPromptError(file) {
                _ = try bulk.load(
                    version: commit.root.version, origin: nil, after: base, file)
            }
            expectEqual(error?.message.contains("bulk commit is too large"), excess > 0)
        }
    }

    /// As large ones, whose pieces end at multiples of 64 MiB.
    @Test func imagesInSeveralPiecesAreRead() throws {
        for offset in stride(from: 64 as UInt64, through: 1_600, by: 128) {
            let (file, written, commit, base) = try makeBulk()
            var bulk = BulkCommit(
                fileNumber: 1, directory: written.directory, delta: SizedImage())
            let directory = try file.bytes(
                at: written.directory.extent, count: Int(written.directory.byteCount))
            bulk.directory.extent = Self.piece - offset
            file.put(Array(directory), at: bulk.directory.extent)
            let delta = DeltaBlob.encode(commit.summary)
            bulk.delta.extent = 2 * Self.piece - 1
            bulk.delta.crc = delta.withUnsafeBytes { Checksum.crc32c($0) }
            bulk.delta.byteCount = UInt64(delta.count)
            file.put(delta, at: bulk.delta.extent)
            let (root, summary) = try bulk.load(
                version: commit.root.version, origin: nil, after: base, file)
            expectEqual(root.stateHash(), commit.root.stateHash())
            expectEqual(summary.tables, commit.summary.tables)
            bulk.directory.crc ^= 1
            #expect(throws: StoreError.self) {
                try bulk.load(version: commit.root.version, origin: nil, after: base, file)
            }
        }
    }
}

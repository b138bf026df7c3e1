import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumEngine

/// Images that can't be read.
@Suite struct NodeSourceTests {
    /// A file that doesn't contain what its directory refers to, or can't be read.
    private final class EmptyFile: NodeBytes {
        private let code: StoreError.Code

        init(_ code: StoreError.Code = .invalidDatabase) { self.code = code }

        func bytes(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer {
            throw StoreError(code, "There are no \(count) bytes at \(offset).")
        }
    }

    @Test func unreadableImagesShareTheirZeros() {
        let source = NodeSource(EmptyFile())
        let kinds: [(kind: NodeKind, maximumByteCount: Int)] = [
            (.chunk, Node.headerByteCount + 16 * rowsPerCluster),
            (.text, Node.headerByteCount + Limits.maximumClusterTextByteCount),
            (.largeValue, Node.headerByteCount + Limits.maximumAnyByteCount),
        ]
        var blocks: Set<UnsafeMutableRawPointer> = []
        for (kind, maximumByteCount) in kinds {
            for index in 0..<2_000 {
                let byteCount = maximumByteCount - 7 * index
                let image = source.image(
                    kind, at: UInt64(64 * index + 64), byteCount: byteCount, crc: 1)
                expectTrue(!image.isSound)
                blocks.insert(image.address)
                let node = Node(image.address)
                expectTrue(node.isMapped && node.kind == kind && node.birth == 0)
                expectTrue(node.byteCount >= byteCount)
                expectEqual(image.address.load(fromByteOffset: byteCount - 1, as: UInt8.self), 0)
            }
        }
        // Blocks have powers of two as sizes: few suffice.
        expectTrue(blocks.count < 20)
        expectEqual(source.damagedOffsets.count, 2_000)
    }

    @Test func unreadableLeavesHaveTheSizeOfLeaves() {
        let source = NodeSource(EmptyFile())
        let leaves = (1...100).map { index in
            IndexLeaf.read(
                source,
                IndexChild(key: 1, row: 1, count: 5, extent: UInt64(64 * index), crc: 1))
        }
        expectEqual(Set(leaves.map(\.address)).count, 1)
        expectEqual(leaves[0].byteCount, IndexLeaf.byteCount)
        expectEqual(IndexLeaf(leaves[0]).count, 0)
        withExtendedLifetime(source) {}
    }

    /// A leaf that couldn't be read explains the contradiction. The failure may pass, so the realm
    /// mustn't be taken for damaged.
    // Covers .invalidDatabase, .ioFailed
    @Test func contradictionAfterAFailureIsNotDamage() {
        for isRead in [false, true] {
            let source = NodeSource(EmptyFile(.ioFailed))
            let (_, damage) = DamageWatch.run {
                if isRead { _ = source.image(.chunk, at: 4096, byteCount: 64, crc: 0, count: 8) }
                source.contradict("An index lacks the entry of a row.")
            }
            expectEqual(damage?.code, isRead ? .ioFailed : .invalidDatabase)
            expectEqual(source.permanentDamage?.code, isRead ? nil : .invalidDatabase)
        }
    }
}

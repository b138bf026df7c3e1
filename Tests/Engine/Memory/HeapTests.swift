import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Blocks filled with their number, which is checked when they are freed.
///
/// Guard of the unchecked Sendable: one thread at a time uses a block.
private struct Block: @unchecked Sendable {
    let address: UnsafeMutableRawPointer
    let byteCount: Int
    let number: UInt64

    init(_ heap: NodeHeap, _ counts: Counts, _ byteCount: Int, _ number: UInt64) {
        address = heap.allocate(byteCount, counts.pointer)
        self.byteCount = byteCount
        self.number = number
        for offset in stride(from: 0, to: byteCount & ~7, by: max(8, byteCount / 64 & ~7)) {
            address.storeBytes(of: number, toByteOffset: offset, as: UInt64.self)
        }
        address.storeBytes(of: number, toByteOffset: (byteCount & ~7) - 8, as: UInt64.self)
    }

    var isIntact: Bool {
        for offset in stride(from: 0, to: byteCount & ~7, by: max(8, byteCount / 64 & ~7))
        where address.load(fromByteOffset: offset, as: UInt64.self) != number {
            return false
        }
        return address.load(fromByteOffset: (byteCount & ~7) - 8, as: UInt64.self) == number
    }

    func free(_ heap: NodeHeap, _ counts: Counts) { heap.free(address, byteCount, counts.pointer) }
}

/// Guard of the unchecked Sendable: the heap's lock.
private final class Counts: @unchecked Sendable {
    let pointer = UnsafeMutablePointer<NodeCounts>.allocate(capacity: 1)
    init() { pointer.initialize(to: NodeCounts()) }
    deinit { pointer.deallocate() }
}

extension SeededRandom {
    /// Mostly the sizes of nodes.
    fileprivate mutating func nodeByteCount() -> Int {
        switch below(20) {
        case 0: return 24 + below(300_000)
        case 1: return 16 + (8 << below(15))
        case 2...5: return 16 + 8 * 1024
        default: return 24 + below(6000)
        }
    }
}

@Suite struct HeapTests {
    @Test func blocksDoNotOverlapAndAreGivenBack() {
        var random = SeededRandom("blocksDoNotOverlapAndAreGivenBack")
        let heap = NodeHeap(smallByteCount: 1 << 20)
        let counts = Counts()
        for _ in 0..<3 {
            var blocks: [Block] = []
            var number: UInt64 = 0
            for _ in 0..<4000 {
                if blocks.isEmpty || random.below(5) < 3 {
                    number += 1
                    let block = Block(heap, counts, random.nodeByteCount(), number)
                    expectEqual(UInt(bitPattern: block.address) % 64, 0)
                    blocks.append(block)
                } else {
                    let index = random.below(blocks.count)
                    blocks.swapAt(index, blocks.count - 1)
                    let block = blocks.removeLast()
                    expectTrue(block.isIntact)
                    block.free(heap, counts)
                }
            }
            let loaded = heap.load(counts.pointer)
            expectEqual(loaded.nodeCount, blocks.count)
            expectEqual(loaded.byteCount, blocks.reduce(0) { $0 + $1.byteCount })
            for block in blocks {
                expectTrue(block.isIntact)
                block.free(heap, counts)
            }
            let use = heap.use
            expectEqual(use.usedByteCount, 0)
            expectEqual(use.mappedByteCount, use.keptByteCount)
            expectTrue(use.mappedByteCount <= 8 << 20)
        }
    }

    @Test func blocksAreFreedByOtherThreads() async {
        var random = SeededRandom("blocksAreFreedByOtherThreads")
        let heap = NodeHeap(maximumKeptByteCount: 2 << 20)
        let counts = Counts()
        let shared = Guarded<[Block]>([])
        let seeds = (0..<4).map { _ in random.next() }
        let damagedCount = await withTaskGroup(of: Int.self) { group in
            for seed in seeds {
                group.addTask {
                    var random = SeededRandom(seed)
                    var damaged = 0
                    for step in 0..<2000 {
                        let block = Block(
                            heap, counts, random.nodeByteCount(), seed &+ UInt64(step))
                        let index = Int(random.next() >> 1)
                        let other = shared.withLock { blocks -> Block? in
                            blocks.append(block)
                            if blocks.count < 200 { return nil }
                            blocks.swapAt(index % blocks.count, blocks.count - 1)
                            return blocks.removeLast()
                        }
                        if let other {
                            if !other.isIntact { damaged += 1 }
                            other.free(heap, counts)
                        }
                    }
                    return damaged
                }
            }
            return await group.reduce(0, +)
        }
        expectEqual(damagedCount, 0)
        for block in shared.withLock({ $0 }) {
            expectTrue(block.isIntact)
            block.free(heap, counts)
        }
        expectEqual(heap.use.usedByteCount, 0)
        expectTrue(heap.use.mappedByteCount <= 2 << 20)
    }

    @Test func aSmallRealmTakesLittle() {
        let heap = NodeHeap()
        let counts = Counts()
        // A cluster with a chunk for each of eight columns, its indexes and the path to it.
        let sizes = [144, 144, 528, 272, 2064, 2064, 5152, 1152, 400, 128, 24]
        let blocks = sizes.map { Block(heap, counts, $0, 1) }
        expectTrue(heap.use.mappedByteCount <= 2 << 20)
        for block in blocks { block.free(heap, counts) }
    }

    @Test func blocksWasteLittle() {
        for size in HeapLayout.blockSizes {
            let sizeClass = SizeClass(blockSize: size)
            let spanByteCount = HeapLayout.unitByteCount << sizeClass.order
            expectEqual(size % 64, 0)
            expectTrue(Int(sizeClass.blockCount) * size <= spanByteCount - HeapLayout.spanReserve)
            expectTrue(Int(sizeClass.blockCount) * size * 16 >= spanByteCount * 15 - 16)
        }
        // Nodes of the sizes of which large realms mostly consist.
        for byteCount in [1040, 2064, 4112, 5152, 8208, 16400] {
            let size = HeapLayout.blockSizes.first { $0 >= byteCount }
            expectEqual(size.map { ($0 - byteCount) * 16 < byteCount }, true)
        }
    }
}

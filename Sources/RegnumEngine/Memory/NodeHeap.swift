import Glibc
import RegnumStore

/// The memory of the nodes of all realms of the process. Any thread may call it; one thread may free
/// what another allocated.
///
/// Blocks are multiples of 64 bytes at multiples of 64, cut from regions of 2 MiB
/// (`HeapLayout`) so that large realms have huge pages and freed memory is used again without
/// a system call. Regions have ordinary pages as long as little is in use, so that a small realm
/// stays small. An empty region goes back to the system, but for a few.
///
/// With `REGNUM_CHECKED_NODES` every block comes from `aligned_alloc` and goes back by `free`, so
/// that the address sanitizer sees each of them.
final class NodeHeap: Sendable {
    static let shared = NodeHeap()

    private let core: Guarded<HeapCore>

    /// - Parameters:
    ///   - smallByteCount: as long as less is in use, regions have ordinary pages.
    ///   - keptByteCountMax: bytes of empty regions that are not given back, if a quarter of what is
    ///     in use is not more.
    ///
    /// Heaps other than `shared` are for tests.
    init(smallByteCount: Int = 4 << 20, keptByteCountMax: Int = 8 << 20) {
        core = Guarded(
            HeapCore(smallByteCount: smallByteCount, keptByteCountMax: keptByteCountMax))
    }

    deinit { core.withLock { $0.end() } }

    #if REGNUM_CHECKED_NODES
        static let isChecked = true
    #else
        static let isChecked = false
    #endif

    /// Memory that is undefined. `counts` is guarded by the heap's lock.
    @inline(__always)
    func allocate(
        _ byteCount: Int, _ counts: UnsafeMutablePointer<NodeCounts>
    ) -> UnsafeMutableRawPointer {
        if NodeHeap.isChecked || byteCount > HeapLayout.blockByteCountMax {
            return allocateLarge(byteCount, counts)
        }
        return core.withLock { core in
            counts.pointee.nodeCount &+= 1
            counts.pointee.byteCount &+= byteCount
            return core.allocate(byteCount)
        }
    }

    /// Gives back a block of `allocate` that nobody will read any more.
    @inline(__always)
    func free(
        _ block: UnsafeMutableRawPointer, _ byteCount: Int,
        _ counts: UnsafeMutablePointer<NodeCounts>
    ) {
        if NodeHeap.isChecked || byteCount > HeapLayout.blockByteCountMax {
            return freeLarge(block, byteCount, counts)
        }
        core.withLock { core in
            counts.pointee.nodeCount &-= 1
            counts.pointee.byteCount &-= byteCount
            core.free(block, byteCount)
        }
    }

    /// Gives back many; takes the lock for 64 at a time.
    func free(
        _ nodes: UnsafeBufferPointer<HeldNode>, _ counts: UnsafeMutablePointer<NodeCounts>
    ) {
        var start = 0
        while start < nodes.count {
            let end = min(start + 64, nodes.count)
            var hasLarge = false
            core.withLock { core in
                for held in nodes[start..<end] {
                    if NodeHeap.isChecked || held.byteCount > HeapLayout.blockByteCountMax {
                        hasLarge = true
                        continue
                    }
                    counts.pointee.nodeCount &-= 1
                    counts.pointee.byteCount &-= held.byteCount
                    core.free(held.node.address, held.byteCount)
                }
            }
            if hasLarge {
                for held in nodes[start..<end]
                where NodeHeap.isChecked || held.byteCount > HeapLayout.blockByteCountMax {
                    freeLarge(held.node.address, held.byteCount, counts)
                }
            }
            start = end
        }
    }

    func load(_ counts: UnsafeMutablePointer<NodeCounts>) -> NodeCounts {
        core.withLock { _ in counts.pointee }
    }

    /// What the heap has from the system now.
    var use: HeapUse { core.withLock { $0.use } }

    // MARK: Blocks of their own

    @inline(never)
    private func allocateLarge(
        _ byteCount: Int, _ counts: UnsafeMutablePointer<NodeCounts>
    ) -> UnsafeMutableRawPointer {
        core.withLock { core in
            counts.pointee.nodeCount += 1
            counts.pointee.byteCount += byteCount
            core.noteLarge(NodeHeap.largeByteCount(byteCount))
        }
        #if REGNUM_CHECKED_NODES
            guard let block = aligned_alloc(64, NodeHeap.largeByteCount(byteCount)) else {
                fatalError("There is no memory left for \(byteCount) bytes.")
            }
            return block
        #else
            return HeapCore.map(NodeHeap.largeByteCount(byteCount))
        #endif
    }

    @inline(never)
    private func freeLarge(
        _ block: UnsafeMutableRawPointer, _ byteCount: Int,
        _ counts: UnsafeMutablePointer<NodeCounts>
    ) {
        core.withLock { core in
            counts.pointee.nodeCount -= 1
            counts.pointee.byteCount -= byteCount
            core.noteLarge(-NodeHeap.largeByteCount(byteCount))
        }
        #if REGNUM_CHECKED_NODES
            Glibc.free(block)
        #else
            munmap(block, NodeHeap.largeByteCount(byteCount))
        #endif
    }

    private static func largeByteCount(_ byteCount: Int) -> Int {
        let unit = isChecked ? 64 : 4096
        return (byteCount + unit - 1) & ~(unit - 1)
    }
}

/// The nodes of one store. Guarded by the heap's lock.
struct NodeCounts: Sendable {
    var nodeCount = 0
    var byteCount = 0
}

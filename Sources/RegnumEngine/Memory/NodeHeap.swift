import Glibc
import RegnumStore

/// The allocator for the nodes of all realms in the process. Thread-safe; a block may be freed by a
/// different thread than the one that allocated it.
///
/// Blocks are multiples of 64 bytes, aligned to 64, and cut from regions of 2 MiB (`HeapLayout`),
/// so that large realms use huge pages and freed memory is reused without a system call. Regions
/// use ordinary pages while little memory is in use, so that a small realm stays small. Empty
/// regions are returned to the system, except for a few.
///
/// With `REGNUM_CHECKED_NODES` every block comes from `aligned_alloc` and is returned by `free`, so
/// that the address sanitizer tracks each of them.
final class NodeHeap: Sendable {
    static let shared = NodeHeap()

    private let core: Guarded<HeapCore>

    /// Creates a heap. Heaps other than `shared` are for tests.
    ///
    /// - Parameters:
    ///   - smallByteCount: Regions use ordinary pages while fewer bytes than this are in use.
    ///   - maximumKeptByteCount: The maximum bytes of empty regions to keep, unless a quarter of
    ///     the bytes in use is more.
    init(smallByteCount: Int = 4 << 20, maximumKeptByteCount: Int = 8 << 20) {
        core = Guarded(
            HeapCore(smallByteCount: smallByteCount, maximumKeptByteCount: maximumKeptByteCount))
    }

    deinit { core.withLock { $0.end() } }

    #if REGNUM_CHECKED_NODES
        static let isChecked = true
    #else
        static let isChecked = false
    #endif

    /// Allocates an uninitialized block. `counts` is guarded by the heap's lock.
    @inline(__always)
    func allocate(
        _ byteCount: Int, _ counts: UnsafeMutablePointer<NodeCounts>
    ) -> UnsafeMutableRawPointer {
        if NodeHeap.isChecked || byteCount > HeapLayout.maximumBlockByteCount {
            return allocateLarge(byteCount, counts)
        }
        return core.withLock { core in
            counts.pointee.nodeCount &+= 1
            counts.pointee.byteCount &+= byteCount
            return core.allocate(byteCount)
        }
    }

    /// Frees a block returned by `allocate`.
    @inline(__always)
    func free(
        _ block: UnsafeMutableRawPointer, _ byteCount: Int,
        _ counts: UnsafeMutablePointer<NodeCounts>
    ) {
        if NodeHeap.isChecked || byteCount > HeapLayout.maximumBlockByteCount {
            return freeLarge(block, byteCount, counts)
        }
        core.withLock { core in
            counts.pointee.nodeCount &-= 1
            counts.pointee.byteCount &-= byteCount
            core.free(block, byteCount)
        }
    }

    /// Frees many blocks, taking the lock once for every 64.
    func free(
        _ nodes: UnsafeBufferPointer<HeldNode>, _ counts: UnsafeMutablePointer<NodeCounts>
    ) {
        var start = 0
        while start < nodes.count {
            let end = min(start + 64, nodes.count)
            var hasLarge = false
            core.withLock { core in
                for held in nodes[start..<end] {
                    if NodeHeap.isChecked || held.byteCount > HeapLayout.maximumBlockByteCount {
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
                where NodeHeap.isChecked || held.byteCount > HeapLayout.maximumBlockByteCount {
                    freeLarge(held.node.address, held.byteCount, counts)
                }
            }
            start = end
        }
    }

    func load(_ counts: UnsafeMutablePointer<NodeCounts>) -> NodeCounts {
        core.withLock { _ in counts.pointee }
    }

    /// The current memory usage.
    var use: HeapUse { core.withLock { $0.use } }

    // MARK: Large blocks

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
                fatalError("Out of memory: can't allocate \(byteCount) bytes.")
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

/// The number and size of the nodes of one store. Guarded by the heap's lock.
struct NodeCounts: Sendable {
    var nodeCount = 0
    var byteCount = 0
}

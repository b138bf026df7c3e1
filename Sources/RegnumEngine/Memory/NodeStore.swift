import RegnumStore

/// The nodes of one realm in this process, and the roots that show them.
///
/// Thread-safe. At most one edit is in progress at a time (the writer's turn).
///
/// Each root has a stamp, unique in its store and ascending in order of creation. A node born at
/// stamp B and retired at stamp R is shown by the roots with B <= stamp < R. It is freed as soon as
/// the last of those is released, so no snapshot keeps more memory than it shows.
///
/// When the last root is released, no nodes are left.
///
/// Guard of the unchecked Sendable: `counts` is allocated once, and guarded by the heap's lock.
final class NodeStore: @unchecked Sendable {
    private let heap = NodeHeap.shared
    private let counts: UnsafeMutablePointer<NodeCounts>
    let registry = Guarded(RootRegistry())
    /// The addresses of all nodes, in debug and checked builds.
    let tracker = NodeTracker()
    private let mayLeaveNodes = Guarded(false)

    init() {
        counts = .allocate(capacity: 1)
        counts.initialize(to: NodeCounts())
    }

    deinit {
        let mayLeaveNodes = mayLeaveNodes.withLock { $0 } || !registry.withLock { $0.hadRoot }
        tracker.end(mayLeaveNodes: mayLeaveNodes, heap, counts)
        counts.deallocate()
    }

    /// Permits nodes to remain when the store is released. For tests that register roots and don't
    /// release them. Such nodes leak except in debug builds. A store that never had a root may
    /// always have remaining nodes.
    func allowLeftNodes() { mayLeaveNodes.withLock { $0 = true } }

    // MARK: Nodes

    /// Allocates an uninitialized node, aligned to 64 bytes. O(1).
    @inline(__always)
    func allocate(_ byteCount: Int) -> Node {
        let node = Node(heap.allocate(byteCount, counts))
        tracker.insert(node, byteCount)
        return node
    }

    /// Frees a node that no root shows. O(1).
    @inline(__always)
    func free(_ node: Node) {
        let byteCount = node.byteCount
        tracker.remove(node, byteCount)
        heap.free(node.address, byteCount, counts)
    }

    /// Frees nodes that no root shows. O(count); the lock is released in between.
    func free(_ nodes: [HeldNode]) {
        if nodes.isEmpty { return }
        if NodeTracker.isOn {
            for held in nodes { tracker.remove(held.node, held.byteCount) }
        }
        nodes.withUnsafeBufferPointer { heap.free($0, counts) }
    }

    // MARK: Edits

    /// Returns the next stamp, greater than all earlier ones.
    func nextStamp() -> UInt64 { registry.withLock { $0.nextStamp() } }

    /// Begins an edit of the root with the given stamp, which must stay registered until `finish`
    /// or `abort`. Returns `nil` if that root isn't the head (the newest live root; `nil` for a
    /// store without roots), or if another edit is in progress.
    func beginEdit(on baseStamp: UInt64?) -> NodeEdit? {
        registry.withLock { $0.beginEdit(on: baseStamp) }.map { NodeEdit(self, firstStamp: $0) }
    }

    /// Ends an edit whose result was registered as a root. Frees the replaced nodes that no root
    /// shows; the others are freed when their last root is released.
    ///
    /// - Complexity: O(replaced nodes + roots made in the edit), regardless of the number of older
    ///   roots.
    func finish(_ edit: NodeEdit) {
        let retired = edit.end()
        let freed = registry.withLock { registry in
            registry.endEdit(edit.firstStamp)
            return registry.retire(retired[...])
        }
        free(freed)
    }

    /// Discards an edit and frees the nodes it created that no root shows. Roots registered during
    /// the edit may remain live.
    ///
    /// - Parameter directory: The edit's current state; `nil` if it is empty.
    func abort(_ edit: NodeEdit, directory: Node?) {
        let firstStamp = edit.firstStamp
        let retired = edit.end()
        let head = registry.withLock { $0.holdRoot(from: firstStamp) }
        if let directory {
            NodeWalk.free(from: directory, bornAfter: head ?? firstStamp - 1, self)
        }
        let freed = registry.withLock { registry in
            // By the usual rule; `clearHead` then drops those that the head shows, as they weren't
            // replaced after all.
            let freed = registry.retire(retired[...])
            registry.endEdit(firstStamp)
            registry.clearHead()
            return freed
        }
        free(freed)
        if let head { release(stamp: head) }
    }

    // MARK: Roots

    /// Registers a root. Its stamp must be greater than all registered before, or that of a live
    /// root, which then needs one more `release`. O(1).
    ///
    /// - Parameter directory: The node from which everything in the root is reachable; `nil` if
    ///   empty.
    func register(stamp: UInt64, directory: Node?) {
        registry.withLock { $0.register(stamp, directory) }
    }

    /// Releases one registration of the root with that stamp.
    ///
    /// With the last registration, frees the nodes that no other root shows. If it was the head,
    /// and wasn't registered by the edit in progress, the next older root becomes the head again.
    ///
    /// - Complexity: O(log n) for n roots, plus the nodes freed. The remaining nodes move to the
    ///   next older root, with O(log) merges over a node's life.
    func release(stamp: UInt64) {
        var release = registry.withLock { $0.release(stamp) }
        while true {
            free(release.freed)
            guard let walk = release.walk else { return }
            if let directory = walk.directory {
                NodeWalk.free(from: directory, bornAfter: walk.bornAfter, self)
            }
            release = registry.withLock { $0.finishWalk(walk.place) }
        }
    }

    // MARK: Statistics and checks

    /// The number and bytes of nodes currently on the heap.
    var usage: (nodeCount: Int, byteCount: Int) {
        let counts = heap.load(counts)
        return (counts.nodeCount, counts.byteCount)
    }

    /// The stamp of the newest live root.
    var headStamp: UInt64? { registry.withLock { $0.head } }

    /// The bytes of replaced nodes by live root, oldest first: those that the root and possibly
    /// older ones show, but no younger root.
    func held() -> [(stamp: UInt64, byteCount: Int)] {
        registry.withLock { $0.held().map { ($0.stamp, $0.nodes.byteCount) } }
    }
}

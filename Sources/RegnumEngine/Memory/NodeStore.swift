import RegnumStore

/// The nodes of one realm in this process, and which roots still show which of them.
///
/// Any number of threads may call it. One edit is under way at a time (the writer's turn).
///
/// Every root has a stamp, unique in its store and rising in the order of their making. A node born
/// at stamp B and retired at stamp R is shown by the roots with B <= stamp < R, and is freed when
/// the last of those is released: exactly then, so that no snapshot holds more than what it shows.
///
/// With the last root released nothing is left.
///
/// Guard of the unchecked Sendable: `counts` is allocated once, and guarded by the heap's lock.
final class NodeStore: @unchecked Sendable {
    private let heap: NodeHeap
    private let counts: UnsafeMutablePointer<NodeCounts>
    private let registry = Guarded(RootRegistry())
    /// In debug and checked builds: the addresses of all nodes.
    let tracker = NodeTracker()
    private let mayLeaveNodes = Guarded(false)

    init(heap: NodeHeap = .shared) {
        self.heap = heap
        counts = .allocate(capacity: 1)
        counts.initialize(to: NodeCounts())
    }

    deinit {
        let mayLeaveNodes = mayLeaveNodes.withLock { $0 } || !registry.withLock { $0.hadRoot }
        tracker.end(mayLeaveNodes: mayLeaveNodes, heap, counts)
        counts.deallocate()
    }

    /// Says that nodes may be left when the store goes away: for tests that register roots and do
    /// not release them. They are lost, except in debug builds. A store that never had a root
    /// may be left with nodes anyway.
    func allowLeftNodes() { mayLeaveNodes.withLock { $0 = true } }

    // MARK: Nodes

    /// Memory for a node, at a multiple of 64; undefined. O(1).
    @inline(__always)
    func allocate(_ byteCount: Int) -> Node {
        let node = Node(heap.allocate(byteCount, counts))
        tracker.insert(node, byteCount)
        return node
    }

    /// Gives back a node that no root shows. O(1).
    @inline(__always)
    func free(_ node: Node) {
        let byteCount = node.byteCount
        tracker.remove(node, byteCount)
        heap.free(node.address, byteCount, counts)
    }

    /// Gives back nodes that no root shows. O(count), the lock taken in between.
    func free(_ nodes: [HeldNode]) {
        if nodes.isEmpty { return }
        if NodeTracker.isOn {
            for held in nodes { tracker.remove(held.node, held.byteCount) }
        }
        nodes.withUnsafeBufferPointer { heap.free($0, counts) }
    }

    // MARK: Edits

    /// The next stamp: greater than all before.
    func nextStamp() -> UInt64 { registry.withLock { $0.nextStamp() } }

    /// An edit on the root with that stamp, which must stay registered until the edit ends by
    /// `finish` or `abort`; nil if it is not the head (the newest live root; `nil` for a store
    /// without a root), or if another edit is under way.
    func beginEdit(on baseStamp: UInt64?) -> NodeEdit? {
        registry.withLock { $0.beginEdit(on: baseStamp) }.map { NodeEdit(self, firstStamp: $0) }
    }

    /// Ends an edit whose result was registered as a root before: what it replaced and no root
    /// shows is freed now, the rest when its last root is released.
    ///
    /// - Complexity: O(replaced nodes + roots made in the edit); not more with more older roots.
    func finish(_ edit: NodeEdit) {
        let retired = edit.end()
        let freed = registry.withLock { registry in
            registry.endEdit(edit.firstStamp)
            return registry.retire(retired[...])
        }
        free(freed)
    }

    /// Ends an edit without a result: what it made and no root shows is freed. Roots that were
    /// registered in it may live on.
    ///
    /// - Parameter directory: the edit's current state; nil if it has none.
    func abort(_ edit: NodeEdit, directory: Node?) {
        let firstStamp = edit.firstStamp
        let retired = edit.end()
        let head = registry.withLock { $0.holdRoot(from: firstStamp) }
        if let directory {
            NodeWalk.free(from: directory, bornAfter: head ?? firstStamp - 1, self)
        }
        let freed = registry.withLock { registry in
            // by the rule; what the head shows is not replaced after all
            let freed = registry.retire(retired[...])
            registry.endEdit(firstStamp)
            registry.clearHead()
            return freed
        }
        free(freed)
        if let head { release(stamp: head) }
    }

    /// Takes replaced nodes, in order: those that no root shows are freed now.
    func retire(_ nodes: [RetiredNode]) {
        if nodes.isEmpty { return }
        let freed = registry.withLock { $0.retire(nodes[...]) }
        free(freed)
    }

    // MARK: Roots

    /// Notes a root; its stamp is greater than those registered before, or that of a live root,
    /// which is then to be released once more. O(1).
    ///
    /// - Parameter directory: the node from which everything that it shows is reached; nil: nothing.
    func register(stamp: UInt64, directory: Node?) {
        registry.withLock { $0.register(stamp, directory) }
    }

    /// Says that nobody holds the root with that stamp any more.
    ///
    /// What it shows and no other root does is freed. If it is the head, and was not registered
    /// in the edit that is under way, the next older root is the head again.
    ///
    /// - Complexity: O(log n) for n roots, and what is freed; what stays goes to the next older
    ///   root, with O(log) merges for a node in its life.
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

    // MARK: Looking

    /// Nodes and bytes on the heap now.
    var usage: (nodeCount: Int, byteCount: Int) {
        let counts = heap.load(counts)
        return (counts.nodeCount, counts.byteCount)
    }

    /// The stamp of the newest live root.
    var headStamp: UInt64? { registry.withLock { $0.head } }

    /// The first inconsistency between the nodes on the heap and those that the live roots reach,
    /// or nil. Holds the roots while it walks them; no edit may be in progress. For tests.
    ///
    /// - Complexity: O(nodes of all live roots).
    var fault: String? {
        let roots = registry.withLock { $0.holdLiveRoots() }
        defer { for root in roots { release(stamp: root.stamp) } }
        return NodeWalk.fault(in: self, directories: roots.compactMap(\.directory))
    }

    /// How many roots are registered.
    var liveRootCount: Int { registry.withLock { $0.liveCount } }

    /// By live root, the oldest first: the bytes of replaced nodes that it and possibly older ones
    /// show, and no younger ones.
    func held() -> [(stamp: UInt64, byteCount: Int)] {
        registry.withLock { $0.held().map { ($0.stamp, $0.nodes.byteCount) } }
    }

    /// Addresses of the replaced nodes that are held for a root, for leak tests.
    func heldAddresses() -> Set<UnsafeMutableRawPointer> {
        registry.withLock { registry in
            Set(registry.held().flatMap { $0.nodes.nodes.map(\.node.address) })
        }
    }
}

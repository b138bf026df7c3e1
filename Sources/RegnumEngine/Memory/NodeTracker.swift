import RegnumStore

/// The addresses of a store's nodes, in debug and checked builds; nothing in others. It finds a node
/// that is freed twice or not at all, and marks freed ones so that a stale read shows.
final class NodeTracker: Sendable {
    #if DEBUG || REGNUM_CHECKED_NODES
        static let isOn = true

        /// By address, the byte count.
        private let nodes = Guarded<[UInt: Int]>([:])

        func insert(_ node: Node, _ byteCount: Int) {
            let previous = nodes.withLock { $0.updateValue(byteCount, forKey: node.word) }
            precondition(previous == nil, "The heap gave out a block twice.")
        }

        /// Call it before the memory goes back.
        func remove(_ node: Node, _ byteCount: Int) {
            let known = nodes.withLock { $0.removeValue(forKey: node.word) }
            guard let known else {
                preconditionFailure("A node was freed that is not in the store, or twice.")
            }
            precondition(known == byteCount, "The byte count of a node was changed.")
            node.address.initializeMemory(as: UInt8.self, repeating: 0xDB, count: byteCount)
            node.kind = .freed
        }

        func contains(_ node: Node) -> Bool { nodes.withLock { $0[node.word] != nil } }

        /// The addresses of all nodes; nil where they are not tracked.
        var addresses: Set<UnsafeMutableRawPointer>? {
            nodes.withLock { nodes in
                Set(nodes.keys.compactMap { UnsafeMutableRawPointer(bitPattern: $0) })
            }
        }

        func end(
            mayLeaveNodes: Bool, _ heap: NodeHeap, _ counts: UnsafeMutablePointer<NodeCounts>
        ) {
            let left = nodes.withLock { $0 }
            if left.isEmpty { return }
            precondition(
                mayLeaveNodes,
                "A store of nodes went away with \(left.count) nodes that nobody can free. "
                    + "Release all its roots; tests that do not say allowLeftNodes().")
            for (word, byteCount) in left {
                if let node = Node(word: word) { heap.free(node.address, byteCount, counts) }
            }
        }
    #else
        static let isOn = false

        @inline(__always) func insert(_ node: Node, _ byteCount: Int) {}
        @inline(__always) func remove(_ node: Node, _ byteCount: Int) {}
        @inline(__always) func contains(_ node: Node) -> Bool { true }
        var addresses: Set<UnsafeMutableRawPointer>? { nil }
        func end(
            mayLeaveNodes: Bool, _ heap: NodeHeap, _ counts: UnsafeMutablePointer<NodeCounts>
        ) {}
    #endif
}

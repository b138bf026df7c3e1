import RegnumStore

/// The addresses of a store's nodes in debug and checked builds; empty in others. Detects double
/// frees and leaks, and overwrites freed nodes so that stale reads are noticed.
final class NodeTracker: Sendable {
    #if DEBUG || REGNUM_CHECKED_NODES
        static let isOn = true

        /// The byte count by address.
        private let nodes = Guarded<[UInt: Int]>([:])

        func insert(_ node: Node, _ byteCount: Int) {
            let previous = nodes.withLock { $0.updateValue(byteCount, forKey: node.word) }
            precondition(previous == nil, "The heap returned a block that is in use.")
        }

        /// Must be called before the memory is freed.
        func remove(_ node: Node, _ byteCount: Int) {
            let known = nodes.withLock { $0.removeValue(forKey: node.word) }
            guard let known else {
                preconditionFailure("A node was freed that isn't in the store, or was freed twice.")
            }
            precondition(known == byteCount, "The byte count of a node was changed.")
            node.address.initializeMemory(as: UInt8.self, repeating: 0xDB, count: byteCount)
            node.kind = .freed
        }

        func contains(_ node: Node) -> Bool { nodes.withLock { $0[node.word] != nil } }

        /// The addresses of all nodes, or `nil` if they aren't tracked.
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
                "A node store was released with \(left.count) leaked nodes. "
                    + "Release all its roots; tests that don't can call allowLeftNodes().")
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

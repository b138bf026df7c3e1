/// Traversal of the nodes below a node. No node has two parents within one root.
enum NodeWalk {
    /// Calls `body` for each child on the heap, but not for children that haven't been loaded from
    /// their file or that are file images.
    @inline(__always)
    static func forEachChild(of node: Node, _ body: (Node) -> Void) {
        switch node.kind {
        case .directory:
            forEachWord(node, from: 16, count: (node.byteCount - 16) / 8, stride: 8, body)
        case .table:
            forEachWord(node, from: 16, count: 1, stride: 8, body)
            forEachWord(node, from: 64, count: node.count, stride: 32, body)
        case .clusterInner:
            forEachWord(node, from: 16, count: 32, stride: 8, body)
        case .cluster:
            forEachChild(ofCluster: node, body)
        case .largeList:
            forEachWord(node, from: 16, count: (node.byteCount - 16) / 24, stride: 24, body)
        case .indexInner:
            forEachWord(node, from: 2080, count: node.count, stride: 8, body)
        case .chunk, .text, .largeValue, .indexLeaf:
            break
        default:
            preconditionFailure("A tree contains a node of unexpected kind \(node.kind.rawValue).")
        }
    }

    @inline(__always)
    private static func forEachChild(ofCluster node: Node, _ body: (Node) -> Void) {
        forEachWord(node, from: ClusterOffsets.versionWord, count: 1, stride: 8, body)
        forEachWord(node, from: ClusterOffsets.versionPatch, count: 1, stride: 8, body)
        let slotCount = node.count
        forEachWord(node, from: ClusterOffsets.words, count: slotCount, stride: 8, body)
        var slot = ClusterOffsets.slots(slotCount)
        for _ in 0..<slotCount {
            let flags: UInt8 = node.load(slot + ClusterOffsets.flags)
            if flags & ClusterOffsets.textFlag != 0 {
                visit(node.load(slot + ClusterOffsets.a), body)
                visit(node.load(slot + ClusterOffsets.b), body)
            }
            slot += ClusterOffsets.slotByteCount
        }
    }

    @inline(__always)
    private static func forEachWord(
        _ node: Node, from offset: Int, count: Int, stride: Int, _ body: (Node) -> Void
    ) {
        for index in 0..<count { visit(node.load(offset + stride * index), body) }
    }

    @inline(__always)
    private static func visit(_ word: UInt, _ body: (Node) -> Void) {
        // The low bits of a chunk word encode the width.
        guard let child = Node(word: word & ~63), !child.isMapped else { return }
        body(child)
    }

    /// Frees `directory` and the nodes below it that were born after `stamp`. Doesn't descend into
    /// older nodes: a node is never younger than its parent.
    static func free(from directory: Node, bornAfter stamp: UInt64, _ store: NodeStore) {
        if directory.isMapped || directory.birth <= stamp { return }
        var open = [directory]
        var freed: [HeldNode] = []
        while let node = open.popLast() {
            forEachChild(of: node) { child in
                if child.birth > stamp { open.append(child) }
            }
            freed.append(HeldNode(node))
            if freed.count == 256 {
                store.free(freed)
                freed.removeAll(keepingCapacity: true)
            }
        }
        store.free(freed)
    }
}

/// A path from the root of an index to a leaf, which can move to adjacent leaves.
///
/// Valid as long as the tree is.
struct IndexWalk {
    /// The inner nodes with the child taken in each. Element 0 has height 1.
    private(set) var steps = InlineArray<12, IndexStep>(repeating: IndexStep())
    let height: Int
    private(set) var leaf: IndexLeaf

    /// Finds the leaf that contains (key, row) or would contain it. Returns `nil` if the tree is
    /// empty.
    @inline(__always)
    init?(_ tree: IndexTree, to key: UInt64, _ row: UInt64) {
        self.init(tree) { $0.place(key, row) }
        leaf.prefetch()
    }

    /// Finds the leaf in which the entries less than (key, row) end. For trees with repeated
    /// entries, which may span leaves.
    init?(_ tree: IndexTree, behindEntriesBelow key: UInt64, _ row: UInt64) {
        self.init(tree) { $0.placeBelow(key, row) }
    }

    /// Finds the leaf with the entry at `position`, which must not exceed the tree's count, and
    /// sets `place` to the index in that leaf. If `isBehind` is true, finds the place after the
    /// preceding entry instead, which may be the end of a leaf rather than the start of the next
    /// one. Returns `nil` if the tree is empty.
    @inline(__always)
    init?(
        _ tree: IndexTree, at position: Int, behindEntryBefore isBehind: Bool, _ place: inout Int
    ) {
        // Descend to the child whose cumulative count exceeds this.
        var rest = position &- (isBehind ? 1 : 0)
        let isFirst = rest < 0
        if isFirst { rest = 0 }
        self.init(tree) { $0.place(at: &rest) }
        place = min(isFirst || !isBehind ? rest : rest &+ 1, leaf.count)
    }

    /// Descends to the child of each node that `choose` returns.
    @inline(__always)
    private init?(_ tree: IndexTree, choosing choose: (IndexInner) -> Int) {
        guard var node = tree.root else { return nil }
        height = tree.height
        var level = height
        while level > 0 {
            level &-= 1
            let inner = IndexInner(node)
            let place = choose(inner)
            steps[level] = IndexStep(node: node, place: place)
            node = inner.child(place)
        }
        leaf = IndexLeaf(node)
    }

    /// Adds to the counts along the path, whose nodes the edit must own.
    @inline(__always)
    func addCount(_ count: UInt32) {
        for level in 0..<height { steps[level].inner.counts[steps[level].place] &+= count }
    }

    /// Whether the leaf is the last one.
    @inline(__always)
    var isAtRightEdge: Bool {
        for level in 0..<height where steps[level].place &+ 1 < steps[level].inner.count {
            return false
        }
        return true
    }

    /// Moves to the next leaf. Returns false if there is none.
    mutating func goToNextLeaf() -> Bool {
        for level in 0..<height where steps[level].place &+ 1 < steps[level].inner.count {
            steps[level].place &+= 1
            var level = level
            var node = steps[level].inner.child(steps[level].place)
            while level > 0 {
                level &-= 1
                steps[level] = IndexStep(node: node, place: 0)
                node = steps[level].inner.child(0)
            }
            leaf = IndexLeaf(node)
            leaf.prefetch()
            return true
        }
        return false
    }

    /// Makes the edit own all nodes on the path. The children on the path lose their extents.
    @inline(__always)
    mutating func own(_ tree: inout IndexTree, _ edit: NodeEdit) {
        var level = height
        while level > 0 {
            level &-= 1
            let old = steps[level].node
            let node = edit.own(old)
            if node != old {
                steps[level].node = node
                attach(node, above: level &+ 1, &tree)
            }
        }
        let node = edit.own(leaf.node)
        if node != leaf.node {
            leaf = IndexLeaf(node)
            attach(node, above: 0, &tree)
            if height > 0 { steps[0].inner.extents[steps[0].place] = 0 }
        }
    }

    @inline(__always)
    private func attach(_ node: Node, above level: Int, _ tree: inout IndexTree) {
        if level == height {
            tree.root = node
        } else {
            steps[level].inner.children[steps[level].place] = UInt64(node.word)
        }
    }
}

/// An inner node on a path, and the child taken.
struct IndexStep {
    fileprivate(set) var word: UInt = 0
    fileprivate(set) var place = 0

    @inline(__always)
    init() {}

    @inline(__always)
    init(node: Node, place: Int) {
        word = node.word
        self.place = place
    }

    @inline(__always)
    var node: Node {
        get {
            // Guard: only read for levels below the height, which have all been set.
            Node(UnsafeMutableRawPointer(bitPattern: word).unsafelyUnwrapped)
        }
        set { word = newValue.word }
    }

    @inline(__always)
    var inner: IndexInner { IndexInner(node) }
}

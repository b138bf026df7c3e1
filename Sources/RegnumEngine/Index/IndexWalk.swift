/// A place in an index and the way to it from the root, for going on to the leaves beside.
///
/// Valid as long as the tree is.
struct IndexWalk {
    /// Inner nodes and the child that was taken; element 0 has height 1.
    private(set) var steps = InlineArray<12, IndexStep>(repeating: IndexStep())
    let height: Int
    private(set) var leaf: IndexLeaf

    /// The leaf where (key, row) lies or would be put; nil if the tree is empty.
    @inline(__always)
    init?(_ tree: IndexTree, to key: UInt64, _ row: UInt64) {
        guard var node = tree.root else { return nil }
        height = tree.height
        var level = height
        while level > 0 {
            level &-= 1
            let inner = IndexInner(node)
            let place = inner.place(key, row)
            steps[level] = IndexStep(node: node, place: place)
            node = inner.child(place)
        }
        leaf = IndexLeaf(node)
        leaf.prefetch()
    }

    /// The leaf where the entries less than (key, row) end: for trees that have entries several times,
    /// which may span leaves.
    init?(_ tree: IndexTree, behindEntriesBelow key: UInt64, _ row: UInt64) {
        guard var node = tree.root else { return nil }
        height = tree.height
        var level = height
        while level > 0 {
            level &-= 1
            let inner = IndexInner(node)
            let place = inner.placeBelow(key, row)
            steps[level] = IndexStep(node: node, place: place)
            node = inner.child(place)
        }
        leaf = IndexLeaf(node)
    }

    /// The leaf with the entry at a position, and its place there; `place` is the leaf's count, not
    /// 0 of the next one, where `isBefore` asks for the place behind the entry before. nil if the
    /// tree is empty. `position` is at most the tree's count.
    @inline(__always)
    init?(
        _ tree: IndexTree, at position: Int, behindEntryBefore isBehind: Bool, _ place: inout Int
    ) {
        guard var node = tree.root else { return nil }
        height = tree.height
        // what is to be exceeded before going on to the next child
        var rest = position &- (isBehind ? 1 : 0)
        let isFirst = rest < 0
        if isFirst { rest = 0 }
        var level = height
        while level > 0 {
            level &-= 1
            let inner = IndexInner(node)
            let place = inner.place(at: &rest)
            steps[level] = IndexStep(node: node, place: place)
            node = inner.child(place)
        }
        leaf = IndexLeaf(node)
        place = min(isFirst || !isBehind ? rest : rest &+ 1, leaf.count)
    }

    /// Changes the counts of the whole way, which is the edit's own.
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

    /// Goes on to the next leaf; false if there is none.
    mutating func goToNextLeaf() -> Bool {
        for level in 0..<height where steps[level].place &+ 1 < steps[level].inner.count {
            steps[level].place &+= 1
            descend(from: level) { _ in 0 }
            return true
        }
        return false
    }

    /// Goes back to the leaf before; false if there is none.
    mutating func goToPreviousLeaf() -> Bool {
        for level in 0..<height where steps[level].place > 0 {
            steps[level].place &-= 1
            descend(from: level) { $0.count - 1 }
            return true
        }
        return false
    }

    @inline(__always)
    private mutating func descend(from level: Int, _ place: (IndexInner) -> Int) {
        var level = level
        var node = steps[level].inner.child(steps[level].place)
        while level > 0 {
            level &-= 1
            steps[level] = IndexStep(node: node, place: place(IndexInner(node)))
            node = steps[level].inner.child(steps[level].place)
        }
        leaf = IndexLeaf(node)
        leaf.prefetch()
    }

    /// Makes the whole way the edit's own and takes it. The children that were taken have no
    /// extent any more.
    @inline(__always)
    mutating func own(_ tree: inout IndexTree, _ edit: NodeEdit) {
        var level = height
        while level > 0 {
            level &-= 1
            let old = steps[level].node
            let node = edit.own(old)
            if node != old {
                steps[level].node = node
                hang(node, above: level &+ 1, &tree)
            }
        }
        let node = edit.own(leaf.node)
        if node != leaf.node {
            leaf = IndexLeaf(node)
            hang(node, above: 0, &tree)
            if height > 0 { steps[0].inner.extents[steps[0].place] = 0 }
        }
    }

    @inline(__always)
    private func hang(_ node: Node, above level: Int, _ tree: inout IndexTree) {
        if level == height {
            tree.root = node
        } else {
            steps[level].inner.children[steps[level].place] = UInt64(node.word)
        }
    }
}

/// An inner node on the way to a leaf and which child was taken.
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
            // Guard: only read for levels below the height, which were all set.
            Node(UnsafeMutableRawPointer(bitPattern: word).unsafelyUnwrapped)
        }
        set { word = newValue.word }
    }

    @inline(__always)
    var inner: IndexInner { IndexInner(node) }
}

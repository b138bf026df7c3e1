import RegnumStore

extension IndexTree {
    /// Builds a tree of strictly ascending entries. All leaves but the last are full.
    static func build(_ entries: UnsafeBufferPointer<Entry>, _ edit: NodeEdit) -> IndexTree {
        var tree = IndexTree()
        var levels = IndexLevels(source: 0)
        var start = 0
        while start < entries.count {
            let leaf = IndexLeaf.make(edit)
            let end = min(start + IndexLeaf.capacity, entries.count)
            let (keys, rows) = (leaf.keys, leaf.rows)
            for place in start..<end {
                let entry = entries[place]
                precondition(
                    place == 0 || entries[place &- 1] < entry,
                    "The entries of an index must be strictly ascending.")
                keys[place &- start] = entry.key
                rows[place &- start] = entry.row
            }
            leaf.count = end - start
            levels.append(IndexChild(leaf: leaf.node), edit)
            start = end
        }
        tree.count = entries.count
        (tree.root, tree.height) = levels.finish(edit)
        return tree
    }

    /// The required order of the first entries of leaves.
    enum LeafOrder {
        /// Strictly ascending, as in an index.
        case strict
        /// Ascending with repeated entries, as in backlinks.
        case repeated
        /// Ascending by key only, as in a `SequenceTree`.
        case byKey
    }

    /// Builds a tree over leaves in a file. Inner nodes are created on the heap; leaves are loaded
    /// on first access.
    ///
    /// Throws `invalidDatabase` if the leaves can't form a tree, or if the only leaf, which is
    /// loaded at once, is damaged.
    ///
    /// - Parameter acceptsDamage: Whether an only leaf that is damaged gets a parent instead, so
    ///   that it reads as damaged like any other leaf.
    static func assemble(
        _ leaves: [IndexChild], source: NodeSource, _ edit: NodeEdit,
        _ order: LeafOrder = .strict, maximumCount: Int = Limits.maximumEntryCount,
        acceptsDamage: Bool = false
    ) throws(StoreError) -> IndexTree {
        var tree = IndexTree()
        guard areSound(leaves, order),
            leaves.allSatisfy({ $0.extent != 0 && $0.extent % 64 == 0 })
        else {
            throw StoreError(
                .invalidDatabase, "The nodes file is damaged: an index is out of order.")
        }
        for leaf in leaves { tree.count += Int(leaf.count) }
        guard tree.count <= maximumCount else {
            throw StoreError(
                .invalidDatabase, "The nodes file is damaged: an index has too many entries.")
        }
        if leaves.count == 1 {
            let image = IndexLeaf.read(source, leaves[0])
            if image.count > 0 {
                tree.root = edit.own(image)
                return tree
            }
            if !acceptsDamage, let damage = source.firstDamage { throw damage }
        }
        var levels = IndexLevels(source: source.word)
        for leaf in leaves { levels.append(leaf, edit) }
        (tree.root, tree.height) = levels.finish(edit, isLeafRoot: false)
        return tree
    }

    /// Returns whether leaves have possible sizes, and first entries in the order.
    static func areSound(_ leaves: [IndexChild], _ order: LeafOrder) -> Bool {
        var previous: Entry?
        for leaf in leaves {
            let first = Entry(key: leaf.key, row: leaf.row)
            let isAscending =
                switch (previous, order) {
                case (nil, _): true
                case (let previous?, .strict): previous < first
                case (let previous?, .repeated): !(first < previous)
                case (let previous?, .byKey): previous.key <= first.key
                }
            guard isAscending, leaf.count >= 1, leaf.count <= IndexLeaf.capacity else {
                return false
            }
            previous = first
        }
        return true
    }

    /// Calls `body` with all leaves in ascending order, without loading any.
    func forEachLeaf<Failure: Error>(
        _ body: (IndexChild) throws(Failure) -> Void
    ) throws(Failure) {
        guard let root else { return }
        if height == 0 {
            try body(IndexChild(leaf: root))
        } else {
            try IndexTree.forEachLeaf(below: IndexInner(root), body)
        }
    }

    private static func forEachLeaf<Failure: Error>(
        below inner: IndexInner, _ body: (IndexChild) throws(Failure) -> Void
    ) throws(Failure) {
        for place in 0..<inner.count {
            if inner.height > 1 {
                try forEachLeaf(below: IndexInner(inner.child(place)), body)
            } else {
                try body(inner.leafEntry(place))
            }
        }
    }
}

/// The right edge of a tree that is built from left to right.
private struct IndexLevels {
    let source: UInt64
    /// The incomplete node of each level; element 0 has height 1.
    var open: [IndexInner] = []
    var first: IndexChild?

    mutating func append(_ child: IndexChild, _ edit: NodeEdit) {
        if let only = first {
            first = nil
            append(only, at: 0, edit)
            append(child, at: 0, edit)
        } else if open.isEmpty {
            first = child
        } else {
            append(child, at: 0, edit)
        }
    }

    private mutating func append(_ child: IndexChild, at level: Int, _ edit: NodeEdit) {
        if level == open.count {
            open.append(.make(height: level + 1, source: level == 0 ? source : 0, edit))
        } else if open[level].count == IndexInner.capacity {
            let full = open[level]
            open[level] = .make(height: level + 1, source: level == 0 ? source : 0, edit)
            append(IndexChild(inner: full.node), at: level + 1, edit)
        }
        open[level].insert(child, at: open[level].count)
    }

    /// Completes the tree and returns its root and height.
    ///
    /// - Parameter isLeafRoot: whether a single leaf becomes the root, which must be in memory.
    mutating func finish(
        _ edit: NodeEdit, isLeafRoot: Bool = true
    ) -> (root: Node?, height: Int) {
        if let only = first {
            if isLeafRoot { return (Node(word: UInt(only.word)), 0) }
            first = nil
            append(only, at: 0, edit)
        }
        guard !open.isEmpty else { return (nil, 0) }
        var level = 0
        while level + 1 < open.count {
            append(IndexChild(inner: open[level].node), at: level + 1, edit)
            level += 1
        }
        return (open[level].node, level + 1)
    }
}

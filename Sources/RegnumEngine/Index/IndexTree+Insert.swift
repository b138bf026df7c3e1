/// The insertion point for ascending entries: the last leaf of a tree and the counts above it. Kept
/// by the caller alongside the tree; initially empty.
///
/// It is valid for one stamp, and only while every edit of the tree uses it: insertions update it,
/// and it is cleared for removals. Restoring the tree to an earlier state invalidates it, because
/// root or count then differ.
struct IndexHint {
    fileprivate var leaf: Node?
    fileprivate var stamp: UInt64 = 0
    fileprivate var root: Node?
    fileprivate var count = 0
    fileprivate var height = 0
    /// The inner nodes of the right edge. Element 0 has height 1.
    fileprivate var inner = InlineArray<6, UInt>(repeating: 0)

    /// Invalidates the hint.
    mutating func clear() { leaf = nil }
}

extension IndexTree {
    /// Returns true if the hint shows that the key is greater than all keys in the tree, and
    /// therefore absent; false says nothing. Saves ascending primary keys a search before the
    /// insertion.
    @inline(__always)
    func isBeyondLast(_ key: UInt64, _ edit: NodeEdit, _ hint: borrowing IndexHint) -> Bool {
        guard let leaf = lastLeaf(edit, hint) else { return false }
        return leaf.keys[leaf.count &- 1] < key
    }

    /// Returns the nonempty last leaf if the hint is valid.
    @inline(__always)
    private func lastLeaf(_ edit: NodeEdit, _ hint: borrowing IndexHint) -> IndexLeaf? {
        guard let leaf = hint.leaf, hint.stamp == edit.stamp, hint.root == root,
            hint.count == count
        else { return nil }
        return IndexLeaf(leaf)
    }

    /// Inserts an entry. Returns false if it already exists.
    ///
    /// - Complexity: O(log n). Edits nodes in place if the edit owns them; otherwise copies `height
    ///   + 1` nodes. Entries inserted in ascending order within an edit cost a few loads and
    ///   stores.
    @inline(__always)
    mutating func insert(
        _ key: UInt64, _ row: UInt64, _ edit: NodeEdit, _ hint: inout IndexHint
    ) -> Bool {
        if let leaf = lastLeaf(edit, hint), leaf.count < IndexLeaf.capacity {
            let end = leaf.count
            let last = Entry(key: leaf.keys[end &- 1], row: leaf.rows[end &- 1])
            if last < Entry(key: key, row: row) {
                leaf.keys[end] = key
                leaf.rows[end] = row
                leaf.count = end &+ 1
                for level in 0..<hint.height {
                    let inner = IndexInner(
                        Node(
                            UnsafeMutableRawPointer(bitPattern: hint.inner[level]).unsafelyUnwrapped
                        ))
                    inner.counts[inner.count &- 1] &+= 1
                }
                count &+= 1
                hint.count = count
                return true
            }
        }
        return insertBySearch(key, row, edit, &hint)
    }

    @inline(never)
    private mutating func insertBySearch(
        _ key: UInt64, _ row: UInt64, _ edit: NodeEdit, _ hint: inout IndexHint
    ) -> Bool {
        guard var walk = IndexWalk(self, to: key, row) else {
            root = IndexLeaf.make(key, row, edit)
            height = 0
            count = 1
            noteRightEdge(edit, &hint)
            return true
        }
        let place = walk.leaf.below(key, row)
        let end = walk.leaf.count
        if place < end, walk.leaf.keys[place] == key, walk.leaf.rows[place] == row { return false }

        if insert(key, row, at: place, &walk, edit) {
            noteRightEdge(edit, &hint)
        } else if hint.leaf != nil {
            hint.clear()
        }
        return true
    }

    /// Inserts an entry at a position in the leaf of a walk. Returns whether it is the tree's last
    /// one.
    mutating func insert(
        _ key: UInt64, _ row: UInt64, at place: Int, _ walk: inout IndexWalk, _ edit: NodeEdit
    ) -> Bool {
        let end = walk.leaf.count
        let isAscending = place == end && walk.isAtRightEdge
        walk.own(&self, edit)
        count &+= 1
        walk.addCount(1)
        if end < IndexLeaf.capacity {
            walk.leaf.insert(key, row, at: place)
            if place == 0 { walk.noteFirst(key, row) }
        } else {
            split(walk, key, row, at: place, isAscending, edit)
        }
        return isAscending
    }

    /// Splits a full leaf, and the full nodes above it.
    @inline(never)
    private mutating func split(
        _ walk: IndexWalk, _ key: UInt64, _ row: UInt64, at place: Int, _ isAscending: Bool,
        _ edit: NodeEdit
    ) {
        let leaf = walk.leaf
        let right: Node
        if isAscending {
            right = IndexLeaf.make(key, row, edit)
        } else {
            let half = IndexLeaf.capacity / 2
            right = leaf.splitOff(from: half, edit)
            if place <= half {
                leaf.insert(key, row, at: place)
                if place == 0 { walk.noteFirst(key, row) }
            } else {
                IndexLeaf(right).insert(key, row, at: place - half)
            }
        }
        var added = IndexChild(leaf: right)
        for level in 0..<height {
            let step = walk.steps[level]
            let inner = step.inner
            inner.counts[step.place] &-= added.count
            let place = step.place + 1
            if inner.count < IndexInner.capacity {
                inner.insert(added, at: place)
                return
            }
            let from = isAscending ? IndexInner.capacity : IndexInner.capacity / 2
            let right = inner.splitOff(from: from, edit)
            if place <= from, !isAscending {
                inner.insert(added, at: place)
            } else {
                IndexInner(right).insert(added, at: place - from)
            }
            added = IndexChild(inner: right)
        }
        grow(added, edit)
    }

    /// Adds a new root above the old one and its new right sibling.
    private mutating func grow(_ added: IndexChild, _ edit: NodeEdit) {
        guard let old = root else { return }
        precondition(height < IndexTree.maximumHeight, "The index exceeds its maximum height.")
        let top = IndexInner.make(height: height + 1, source: 0, edit)
        top.insert(height == 0 ? IndexChild(leaf: old) : IndexChild(inner: old), at: 0)
        top.insert(added, at: 1)
        root = top.node
        height += 1
    }

    /// Sets the hint to the last leaf if the edit owns it and the nodes above it.
    private func noteRightEdge(_ edit: NodeEdit, _ hint: inout IndexHint) {
        hint.clear()
        guard height <= 6, var node = root else { return }
        var level = height
        while level > 0 {
            guard edit.owns(node) else { return }
            level &-= 1
            hint.inner[level] = node.word
            let inner = IndexInner(node)
            guard let child = Node(word: inner.storedChild(inner.count &- 1)) else { return }
            node = child
        }
        guard edit.owns(node), node.count > 0 else { return }
        hint.leaf = node
        hint.stamp = edit.stamp
        hint.root = root
        hint.count = count
        hint.height = height
    }
}

extension IndexWalk {
    /// Updates the nodes above the leaf with its new first entry (key, row).
    func noteFirst(_ key: UInt64, _ row: UInt64) {
        for level in 0..<height {
            let step = steps[level]
            step.inner.keys[step.place] = key
            step.inner.rows[step.place] = row
            if step.place > 0 { return }
        }
    }
}

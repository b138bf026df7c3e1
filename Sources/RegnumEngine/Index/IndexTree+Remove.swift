extension IndexTree {
    /// Nodes that a removal leaves with fewer entries are merged with a sibling if possible.
    private static let fewest = 32
    /// The maximum size of a merged node. It leaves room, so that the node isn't split again at
    /// once.
    private static let maximumMerged = 96

    /// Removes an entry. Returns false if it doesn't exist. If the tree has a hint, the caller must
    /// clear it.
    ///
    /// - Complexity: O(log n). Edits nodes in place if the edit owns them; otherwise copies `height
    ///   + 1` nodes.
    mutating func remove(_ key: UInt64, _ row: UInt64, _ edit: NodeEdit) -> Bool {
        guard var walk = IndexWalk(self, to: key, row) else { return false }
        let place = walk.leaf.below(key, row)
        guard place < walk.leaf.count, walk.leaf.keys[place] == key, walk.leaf.rows[place] == row
        else { return false }

        remove(place..<place + 1, &walk, edit)
        return true
    }

    /// Removes at least one entry from the leaf of a walk.
    mutating func remove(_ places: Range<Int>, _ walk: inout IndexWalk, _ edit: NodeEdit) {
        walk.own(&self, edit)
        count &-= places.count
        walk.addCount(0 &- UInt32(truncatingIfNeeded: places.count))
        walk.leaf.remove(places)
        if places.lowerBound == 0 || walk.leaf.count < IndexTree.fewest { repair(walk, edit) }
    }

    /// Updates the nodes above a leaf after a removal: drops empty nodes and merges small ones.
    private mutating func repair(_ walk: IndexWalk, _ edit: NodeEdit) {
        var child = walk.leaf.node
        for level in 0..<height {
            let (inner, place) = (walk.steps[level].inner, walk.steps[level].place)
            if child.count == 0 {
                inner.remove(at: place)
                edit.retire(child)
                inner.mergeNeighbors(at: place, fewerThan: IndexTree.fewest, edit)
            } else {
                if level == 0 {
                    inner.keys[place] = IndexLeaf(child).keys[0]
                    inner.rows[place] = IndexLeaf(child).rows[0]
                } else {
                    inner.keys[place] = IndexInner(child).keys[0]
                    inner.rows[place] = IndexInner(child).rows[0]
                }
                if child.count < IndexTree.fewest {
                    _ =
                        inner.merge(
                            child, at: place, with: place + 1, IndexTree.maximumMerged, edit)
                        || inner.merge(
                            child, at: place, with: place - 1, IndexTree.maximumMerged, edit)
                }
            }
            child = inner.node
        }
        shrink(edit)
    }

    /// Removes an empty root, or roots with a single child.
    private mutating func shrink(_ edit: NodeEdit) {
        while let node = root, node.count == 0 || (height > 0 && node.count == 1) {
            if node.count == 0 {
                root = nil
                height = 0
                count = 0
            } else {
                let child = IndexInner(node).child(0)
                height -= 1
                // A root that is a leaf must not be a file image.
                root = child.isMapped ? edit.own(child) : child
            }
            edit.retire(node)
        }
    }
}

extension IndexInner {
    /// Merges the children at `place - 1` and `place`, between which one was removed, if together
    /// they have fewer than `minimumCount` entries.
    fileprivate func mergeNeighbors(
        at place: Int, fewerThan minimumCount: Int, _ edit: NodeEdit
    ) {
        let left = place - 1
        guard left >= 0, place < count else { return }
        // Don't load leaves that won't be merged.
        if height == 1, counts[left] &+ counts[place] >= minimumCount { return }
        let node = child(left)
        guard node.count + child(place).count < minimumCount else { return }
        let owned = edit.own(node)
        children[left] = UInt64(owned.word)
        if height == 1 { extents[left] = 0 }
        _ = merge(owned, at: left, with: place, minimumCount, edit)
    }

    /// Merges the sibling at `other` into the child at `place`, which the edit owns, if together
    /// they have at most `maximumCount` entries. Returns whether it did.
    fileprivate func merge(
        _ child: Node, at place: Int, with other: Int, _ maximumCount: Int, _ edit: NodeEdit
    ) -> Bool {
        guard other >= 0, other < count else { return false }
        let neighbor: Node
        if height == 1 {
            // Don't load a leaf that won't be merged.
            guard child.count + Int(counts[other]) <= maximumCount else { return false }
            neighbor = self.child(other)
            IndexLeaf(child).absorb(IndexLeaf(neighbor), isBefore: other < place)
        } else {
            neighbor = self.child(other)
            let (a, b) = (IndexInner(child), IndexInner(neighbor))
            guard a.count + b.count <= maximumCount,
                a.source == b.source || a.source == 0 || b.source == 0
            else { return false }
            a.absorb(b, isBefore: other < place)
        }
        let left = min(place, other)
        counts[left] = counts[place] &+ counts[other]
        children[left] = UInt64(child.word)
        if height == 1 { extents[left] = 0 }
        remove(at: left + 1)
        edit.retire(neighbor)
        return true
    }
}

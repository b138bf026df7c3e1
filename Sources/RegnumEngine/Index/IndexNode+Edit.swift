import CRegnum

extension IndexChild {
    /// Creates an entry for a nonempty leaf on the heap.
    init(leaf node: Node) {
        let leaf = IndexLeaf(node)
        self.init(
            key: leaf.keys[0], row: leaf.rows[0], count: UInt32(truncatingIfNeeded: leaf.count),
            word: UInt64(node.word))
    }

    /// Creates an entry for a nonempty inner node.
    init(inner node: Node) {
        let inner = IndexInner(node)
        let count = UInt32(truncatingIfNeeded: inner.countBefore(inner.count))
        self.init(
            key: inner.keys[0], row: inner.rows[0], count: count, word: UInt64(node.word))
    }
}

extension IndexLeaf {
    /// Creates a leaf with one entry.
    static func make(_ key: UInt64, _ row: UInt64, _ edit: NodeEdit) -> Node {
        let leaf = make(edit)
        leaf.insert(key, row, at: 0)
        return leaf.node
    }

    /// Creates an empty leaf.
    static func make(_ edit: NodeEdit) -> IndexLeaf {
        IndexLeaf(edit.make(.indexLeaf, byteCount: byteCount))
    }

    @inline(__always)
    func insert(_ key: UInt64, _ row: UInt64, at place: Int) {
        let tail = count &- place
        (keys + (place &+ 1)).update(from: keys + place, count: tail)
        (rows + (place &+ 1)).update(from: rows + place, count: tail)
        keys[place] = key
        rows[place] = row
        count &+= 1
    }

    @inline(__always)
    func remove(_ places: Range<Int>) {
        let tail = count &- places.upperBound
        (keys + places.lowerBound).update(from: keys + places.upperBound, count: tail)
        (rows + places.lowerBound).update(from: rows + places.upperBound, count: tail)
        count &-= places.count
    }

    /// Inserts entries of one key before `place`. The leaf must have room.
    @inline(__always)
    func insert(_ key: UInt64, _ newRows: ArraySlice<UInt64>, at place: Int) {
        let (tail, added) = (count &- place, newRows.count)
        (keys + (place &+ added)).update(from: keys + place, count: tail)
        (rows + (place &+ added)).update(from: rows + place, count: tail)
        (keys + place).update(repeating: key, count: added)
        newRows.withUnsafeBufferPointer { new in
            if let start = new.baseAddress { (rows + place).update(from: start, count: added) }
        }
        count &+= added
    }

    /// Moves the entries from `start` on to a new leaf.
    func splitOff(from start: Int, _ edit: NodeEdit) -> Node {
        let right = IndexLeaf.make(edit)
        right.replace(at: 0, from: self, start, count - start)
        right.count = count - start
        count = start
        return right.node
    }

    /// Copies the entries of a sibling before or after its own.
    func absorb(_ other: IndexLeaf, isBefore: Bool) {
        let (own, added) = (count, other.count)
        if isBefore { replace(at: added, from: self, 0, own) }
        replace(at: isBefore ? 0 : own, from: other, 0, added)
        count = own + added
    }

    private func replace(at place: Int, from other: IndexLeaf, _ start: Int, _ count: Int) {
        (keys + place).update(from: other.keys + start, count: count)
        (rows + place).update(from: other.rows + start, count: count)
    }
}

extension IndexInner {
    /// Creates an inner node without children.
    static func make(height: Int, source: UInt64, _ edit: NodeEdit) -> IndexInner {
        let inner = IndexInner(edit.make(.indexInner, byteCount: byteCount(height: height)))
        inner.source = source
        inner.node.store(UInt64(height), 24)
        return inner
    }

    func insert(_ child: IndexChild, at place: Int) {
        replace(at: place + 1, from: self, place, count - place)
        keys[place] = child.key
        rows[place] = child.row
        children[place] = child.word
        counts[place] = child.count
        if height == 1 {
            extents[place] = child.extent
            crcs[place] = child.crc
        }
        count += 1
    }

    func remove(at place: Int) {
        replace(at: place, from: self, place + 1, count - place - 1)
        count -= 1
    }

    /// Moves the children from `start` on to a new node.
    func splitOff(from start: Int, _ edit: NodeEdit) -> Node {
        let right = IndexInner.make(height: height, source: source, edit)
        right.replace(at: 0, from: self, start, count - start)
        right.count = count - start
        count = start
        return right.node
    }

    /// Copies the children of a sibling before or after its own.
    func absorb(_ other: IndexInner, isBefore: Bool) {
        let (own, added) = (count, other.count)
        if isBefore { replace(at: added, from: self, 0, own) }
        replace(at: isBefore ? 0 : own, from: other, 0, added)
        count = own + added
        if source == 0 { source = other.source }
    }

    private func replace(at place: Int, from other: IndexInner, _ start: Int, _ count: Int) {
        (keys + place).update(from: other.keys + start, count: count)
        (rows + place).update(from: other.rows + start, count: count)
        (children + place).update(from: other.children + start, count: count)
        (counts + place).update(from: other.counts + start, count: count)
        if height == 1 {
            (extents + place).update(from: other.extents + start, count: count)
            (crcs + place).update(from: other.crcs + start, count: count)
        }
    }
}

import CRegnum

extension Node {
    /// The values from a byte of the node on.
    @inline(__always)
    fileprivate func values<T>(_ offset: Int) -> UnsafeMutablePointer<T> {
        (address + offset).assumingMemoryBound(to: T.self)
    }
}

/// A leaf of an index: up to 128 entries, ascending by (key, row).
///
///     0     header         kind indexLeaf, count = entries
///     16    u64 x 128      keys
///     1040  u64 x 128      rows
struct IndexLeaf {
    let node: Node

    static let capacity = 128
    static let byteCount = 2064

    @inline(__always)
    init(_ node: Node) { self.node = node }

    @inline(__always)
    var count: Int {
        get { node.count }
        nonmutating set { node.count = newValue }
    }

    @inline(__always)
    var keys: UnsafeMutablePointer<UInt64> { node.values(16) }

    @inline(__always)
    var rows: UnsafeMutablePointer<UInt64> { node.values(1040) }

    /// Returns the number of entries less than (key, row).
    @inline(__always)
    func below(_ key: UInt64, _ row: UInt64) -> Int {
        cregnum_index_below(keys, rows, count, key, row)
    }

    /// Returns whether the entry at `place` is the first one not less than (key, row) and has that
    /// key.
    @inline(__always)
    func isFirst(_ place: Int, from key: UInt64, _ row: UInt64) -> Bool {
        place < count && keys[place] == key && rows[place] >= row
            && (place == 0 || keys[place &- 1] < key)
    }

    /// Returns the number of entries less than or equal to (key, row).
    @inline(__always)
    func through(_ key: UInt64, _ row: UInt64) -> Int {
        cregnum_index_through(keys, rows, count, key, row)
    }

    /// Prefetches the header and all keys.
    @inline(__always)
    func prefetch() { cregnum_prefetch_lines(node.address, 17) }

    /// Prefetches the header and one entry.
    @inline(__always)
    func prefetch(_ place: Int) {
        cregnum_prefetch_lines(node.address, 1)
        cregnum_prefetch_lines(keys + place, 1)
        cregnum_prefetch_lines(rows + place, 1)
    }
}

/// An inner node of an index: up to 128 children with their first entries, ascending.
///
///     0     header         kind indexInner, count = children
///     16    u64 source     the `NodeSource` of the extents, unretained, or 0
///     24    u32 height     1: the children are leaves
///     32    u64 x 128      keys of the first entries below
///     1056  u64 x 128      rows of the first entries below
///     2080  u64 x 128      addresses of the children; 0: a leaf that isn't loaded
///     3104  u32 x 128      entries below
///     3616  u64 x 128      height 1 only: extents of the leaves; 0: no current image
///     4640  u32 x 128      height 1 only: CRCs of the extents
struct IndexInner {
    let node: Node

    static let capacity = 128

    static func byteCount(height: Int) -> Int { height == 1 ? 5152 : 3616 }

    @inline(__always)
    init(_ node: Node) { self.node = node }

    @inline(__always)
    var count: Int {
        get { node.count }
        nonmutating set { node.count = newValue }
    }

    @inline(__always)
    var source: UInt64 {
        get { node.load(16) }
        nonmutating set { node.store(newValue, 16) }
    }

    @inline(__always)
    var height: Int { Int(node.load(24) as UInt32) }

    @inline(__always)
    var keys: UnsafeMutablePointer<UInt64> { node.values(32) }

    @inline(__always)
    var rows: UnsafeMutablePointer<UInt64> { node.values(1056) }

    @inline(__always)
    var children: UnsafeMutablePointer<UInt64> { node.values(2080) }

    @inline(__always)
    var counts: UnsafeMutablePointer<UInt32> { node.values(3104) }

    @inline(__always)
    var extents: UnsafeMutablePointer<UInt64> { node.values(3616) }

    @inline(__always)
    var crcs: UnsafeMutablePointer<UInt32> { node.values(4640) }

    /// Returns the child that contains (key, row) or would contain it.
    @inline(__always)
    func place(_ key: UInt64, _ row: UInt64) -> Int {
        max(cregnum_index_through(keys, rows, count, key, row) &- 1, 0)
    }

    /// Returns the position of a key in the leaf at `place`, which must not be the last child, if
    /// the leaf has all keys up to the next leaf, as with consecutive ids.
    @inline(__always)
    func consecutivePlace(of key: UInt64, below place: Int) -> Int? {
        let (low, count) = (keys[place], counts[place])
        guard count <= IndexLeaf.capacity, keys[place &+ 1] &- low == count, key &- low < count
        else {
            return nil
        }
        return Int(key &- low)
    }

    /// Returns the last child whose first entry is less than (key, row), or else the first child.
    @inline(__always)
    func placeBelow(_ key: UInt64, _ row: UInt64) -> Int {
        max(cregnum_index_below(keys, rows, count, key, row) &- 1, 0)
    }

    /// Returns the stored child, or 0 if it isn't loaded. Other threads may be loading it
    /// concurrently.
    @inline(__always)
    func storedChild(_ place: Int) -> UInt { UInt(cregnum_load_child(children + place)) }

    /// Returns the child, loading a leaf if necessary.
    @inline(__always)
    func child(_ place: Int) -> Node {
        Node(word: storedChild(place)) ?? readLeaf(place)
    }

    /// Loads the image of a leaf and stores its address. Several readers may do so concurrently.
    @inline(never)
    private func readLeaf(_ place: Int) -> Node {
        if let node = TransientLeaves.word(at: children + place).flatMap({ Node(word: $0) }) {
            return node
        }
        guard let source = NodeSource.named(source) else {
            preconditionFailure("A leaf of an index is neither in memory nor in a file.")
        }
        let leaf = IndexLeaf.read(source, leafEntry(place))
        // An empty leaf takes the place of a damaged image, which must be reported to every reader.
        if leaf.count > 0, !TransientLeaves.keep(leaf.word, at: children + place, of: source) {
            cregnum_store_child(children + place, UInt64(leaf.word))
        }
        return leaf
    }

    /// Returns the entry of a leaf, without loading it.
    func leafEntry(_ place: Int) -> IndexChild {
        IndexChild(
            key: keys[place], row: rows[place], count: counts[place],
            word: UInt64(storedChild(place)), extent: extents[place], crc: crcs[place])
    }

    /// Returns the child that contains the entry at a position, and makes the position relative to
    /// it.
    @inline(__always)
    func place(at position: inout Int) -> Int {
        var rest = UInt64(truncatingIfNeeded: position)
        let place = cregnum_place_at(counts, count, &rest)
        position = Int(truncatingIfNeeded: rest)
        return place
    }

    /// Returns the number of entries below the children before `place`.
    @inline(__always)
    func countBefore(_ place: Int) -> Int { Int(cregnum_sum_counts(counts, place)) }
}

/// A child's entry in its parent.
struct IndexChild {
    var key: UInt64
    var row: UInt64
    var count: UInt32
    /// The address of the child, or 0 for a leaf that isn't loaded.
    var word: UInt64 = 0
    /// The location of a leaf's current image in the nodes file, or 0 if there is none.
    var extent: UInt64 = 0
    var crc: UInt32 = 0
}

extension IndexLeaf {
    /// Returns the image of a leaf if it matches its parent's data; otherwise an empty leaf,
    /// recorded as `NodeSource.firstDamage`.
    static func read(_ source: NodeSource, _ entry: IndexChild) -> Node {
        let extent = entry.extent
        let image = source.image(
            .indexLeaf, at: extent, byteCount: byteCount, crc: entry.crc, count: Int(entry.count))
        let leaf = IndexLeaf(Node(image.address))
        if !image.isSound || leaf.keys[0] == entry.key && leaf.rows[0] == entry.row {
            return leaf.node
        }
        return Node(source.damaged(.indexLeaf, at: extent, byteCount: byteCount).address)
    }
}

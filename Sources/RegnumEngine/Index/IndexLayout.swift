import CRegnum

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
    var keys: UnsafeMutablePointer<UInt64> {
        (node.address + 16).assumingMemoryBound(to: UInt64.self)
    }

    @inline(__always)
    var rows: UnsafeMutablePointer<UInt64> {
        (node.address + 1040).assumingMemoryBound(to: UInt64.self)
    }

    /// How many entries are less than (key, row).
    @inline(__always)
    func below(_ key: UInt64, _ row: UInt64) -> Int {
        cregnum_index_below(keys, rows, count, key, row)
    }

    /// Whether the entry at a place is the first one that is not less than (key, row), if it has that
    /// key.
    @inline(__always)
    func isFirst(_ place: Int, from key: UInt64, _ row: UInt64) -> Bool {
        place < count && keys[place] == key && rows[place] >= row
            && (place == 0 || keys[place &- 1] < key)
    }

    /// How many entries are at most (key, row).
    @inline(__always)
    func through(_ key: UInt64, _ row: UInt64) -> Int {
        cregnum_index_through(keys, rows, count, key, row)
    }

    /// Asks for the keys, and the header before them, all at once.
    @inline(__always)
    func prefetch() { cregnum_prefetch_lines(node.address, 17) }

    /// Asks for the header and for one entry, all at once.
    @inline(__always)
    func prefetch(_ place: Int) {
        cregnum_prefetch_lines(node.address, 1)
        cregnum_prefetch_lines(keys + place, 1)
        cregnum_prefetch_lines(rows + place, 1)
    }
}

/// An inner node of an index: up to 128 children, with the first entry below each, ascending.
///
///     0     header         kind indexInner, count = children
///     16    u64 source     the `NodeSource` of the extents, unretained, or 0
///     24    u32 height     1: the children are leaves
///     32    u64 x 128      keys of the first entries below
///     1056  u64 x 128      rows of the first entries below
///     2080  u64 x 128      addresses of the children; of leaves 0: not read yet
///     3104  u32 x 128      entries below
///     3616  u64 x 128      height 1 only: extents of the leaves; 0: nowhere, or it was changed
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
    var keys: UnsafeMutablePointer<UInt64> {
        (node.address + 32).assumingMemoryBound(to: UInt64.self)
    }

    @inline(__always)
    var rows: UnsafeMutablePointer<UInt64> {
        (node.address + 1056).assumingMemoryBound(to: UInt64.self)
    }

    @inline(__always)
    var children: UnsafeMutablePointer<UInt64> {
        (node.address + 2080).assumingMemoryBound(to: UInt64.self)
    }

    @inline(__always)
    var counts: UnsafeMutablePointer<UInt32> {
        (node.address + 3104).assumingMemoryBound(to: UInt32.self)
    }

    @inline(__always)
    var extents: UnsafeMutablePointer<UInt64> {
        (node.address + 3616).assumingMemoryBound(to: UInt64.self)
    }

    @inline(__always)
    var crcs: UnsafeMutablePointer<UInt32> {
        (node.address + 4640).assumingMemoryBound(to: UInt32.self)
    }

    /// The child below which (key, row) lies or would be put.
    @inline(__always)
    func place(_ key: UInt64, _ row: UInt64) -> Int {
        max(cregnum_index_through(keys, rows, count, key, row) &- 1, 0)
    }

    /// The place of a key in the leaf below a child that is not the last one, if the leaf has all keys
    /// up to the next one: ids that were given one after the other.
    @inline(__always)
    func consecutivePlace(of key: UInt64, below place: Int) -> Int? {
        let (low, count) = (keys[place], counts[place])
        guard count <= IndexLeaf.capacity, keys[place &+ 1] &- low == count, key &- low < count
        else {
            return nil
        }
        return Int(key &- low)
    }

    /// The last child whose first entry is less than (key, row), or the first.
    @inline(__always)
    func placeBelow(_ key: UInt64, _ row: UInt64) -> Int {
        max(cregnum_index_below(keys, rows, count, key, row) &- 1, 0)
    }

    /// The child as it is stored, 0 if it was not read yet. Other threads may be reading it in.
    @inline(__always)
    func storedChild(_ place: Int) -> UInt { UInt(cregnum_load_child(children + place)) }

    /// The child; a leaf that was not read yet is.
    @inline(__always)
    func child(_ place: Int) -> Node {
        Node(word: storedChild(place)) ?? readLeaf(place)
    }

    /// Finds the image of a leaf and notes its address. Several readers may do it at once.
    @inline(never)
    private func readLeaf(_ place: Int) -> Node {
        guard let source = NodeSource.named(source) else {
            preconditionFailure("A leaf of an index is neither in memory nor in a file.")
        }
        let leaf = IndexLeaf.read(
            source, extent: extents[place], crc: crcs[place], count: Int(counts[place]),
            firstKey: keys[place], firstRow: rows[place])
        // an empty one stands for a damaged image, which every reader has to meet
        if leaf.count > 0 { cregnum_store_child(children + place, UInt64(leaf.word)) }
        return leaf
    }

    /// The child with the entry at a position, which becomes the one below that child.
    @inline(__always)
    func place(at position: inout Int) -> Int {
        var rest = UInt64(truncatingIfNeeded: position)
        let place = cregnum_place_at(counts, count, &rest)
        position = Int(truncatingIfNeeded: rest)
        return place
    }

    /// How many entries lie below the children before `place`.
    @inline(__always)
    func countBefore(_ place: Int) -> Int { Int(cregnum_sum_counts(counts, place)) }
}

extension IndexLeaf {
    /// The image of a leaf, which has to be what its parent says; an empty leaf where it is not,
    /// which `NodeSource.firstDamage` then tells.
    static func read(
        _ source: NodeSource, extent: UInt64, crc: UInt32, count: Int, firstKey: UInt64,
        firstRow: UInt64
    ) -> Node {
        let image = source.image(.indexLeaf, at: extent, byteCount: byteCount, crc: crc)
        let node = Node(image.address)
        guard image.isSound else { return node }
        let leaf = IndexLeaf(node)
        let isSound =
            node.kind == .indexLeaf && node.isMapped && node.birth == 0
            && node.byteCount == byteCount && node.count <= capacity
        if isSound, isAs(leaf, count, firstKey, firstRow) { return node }
        return Node(source.damaged(.indexLeaf, at: extent, byteCount: byteCount).address)
    }

    private static func isAs(_ leaf: IndexLeaf, _ count: Int, _ key: UInt64, _ row: UInt64) -> Bool
    {
        leaf.count == count && leaf.keys[0] == key && leaf.rows[0] == row
    }
}

import CRegnum

/// A B+tree of entries (key, row), unique as pairs, in that order: a primary key, an indexed
/// property.
///
/// A value: it names the root of nodes that do not change while a root of the database shows them.
/// Reading needs that such a root is registered. Edits go through a `NodeEdit`, in place where the
/// nodes are the edit's own, and leave all other trees as they are.
///
/// Splits are even, except at the right edge, where a full node stays full. A node that a removal
/// leaves with fewer than 32 entries or children is merged with a neighbour below the same parent
/// if both together have at most 96; empty nodes are dropped. Neighbours so have at least 32
/// together.
///
/// Leaves that were not read yet are read when they are first touched. Where one is damaged it reads
/// as empty, the counts above it stay, and nothing traps; `NodeSource.firstDamage` tells.
struct IndexTree {
    /// An inner node, a leaf if `height` is 0, or nil. A root that is a leaf is never of a file.
    var root: Node?
    /// Levels of inner nodes.
    var height: Int
    /// Entries.
    var count: Int

    /// A key and a row that has it.
    struct Entry: Equatable {
        var key: UInt64
        var row: UInt64

        @inline(__always)
        static func < (a: Entry, b: Entry) -> Bool {
            a.key != b.key ? a.key < b.key : a.row < b.row
        }
    }

    /// The most levels of inner nodes that a tree can have: far more than its counts allow.
    static let heightMax = 12

    /// The empty tree.
    init() { self.init(root: nil, height: 0, count: 0) }

    /// A tree as a table node stores it.
    @inline(__always)
    init(root: Node?, height: Int, count: Int) {
        self.root = root
        self.height = height
        self.count = count
    }

    /// The first entry that is not less than (key, row).
    ///
    /// - Complexity: O(log n); about one cache miss.
    @inline(__always)
    func first(from key: UInt64, _ row: UInt64) -> Entry? {
        guard var node = root else { return nil }
        // Where the first entry behind the subtree is told: parents know the first entry of each
        // child, so that the next leaf need not be touched.
        var next: (inner: IndexInner, place: Int)?
        // Where the entry lies in the leaf, if the leaf's parent tells: so all of the leaf that is
        // needed comes at once.
        var known: Int?
        var level = height
        while level > 0 {
            let inner = IndexInner(node)
            let place = inner.place(key, row)
            if place &+ 1 < inner.count {
                next = (inner, place &+ 1)
                if level == 1 { known = inner.consecutivePlace(of: key, below: place) }
            }
            node = inner.child(place)
            level &-= 1
        }
        let leaf = IndexLeaf(node)
        if let known {
            leaf.prefetch(known)
            if leaf.isFirst(known, from: key, row) {
                return Entry(key: key, row: leaf.rows[known])
            }
        }
        leaf.prefetch()
        let place = leaf.below(key, row)
        if place < leaf.count { return Entry(key: leaf.keys[place], row: leaf.rows[place]) }
        return next.map { Entry(key: $0.inner.keys[$0.place], row: $0.inner.rows[$0.place]) }
    }

    /// The first row of a key: the row of a primary key.
    ///
    /// - Complexity: O(log n); about one cache miss.
    @inline(__always)
    func firstRow(_ key: UInt64) -> UInt64? {
        guard let entry = first(from: key, 0), entry.key == key else { return nil }
        return entry.row
    }

    /// Whether the entry is there.
    func contains(_ key: UInt64, _ row: UInt64) -> Bool {
        first(from: key, row) == Entry(key: key, row: row)
    }

    /// How many entries are less than (key, row): the position that it has or would have.
    ///
    /// - Complexity: O(log n)
    func rank(of key: UInt64, _ row: UInt64) -> Int {
        rank(key, row) { $0.below(key, row) }
    }

    /// How many entries are at most (key, row).
    ///
    /// - Complexity: O(log n)
    func rank(through key: UInt64, _ row: UInt64) -> Int {
        rank(key, row) { $0.through(key, row) }
    }

    @inline(__always)
    private func rank(_ key: UInt64, _ row: UInt64, _ inLeaf: (IndexLeaf) -> Int) -> Int {
        guard var node = root else { return 0 }
        var rank = 0
        for _ in 0..<height {
            let inner = IndexInner(node)
            let place = inner.place(key, row)
            rank &+= inner.countBefore(place)
            node = inner.child(place)
        }
        let leaf = IndexLeaf(node)
        leaf.prefetch()
        return rank &+ inLeaf(leaf)
    }

    /// How many entries have a key of that range.
    ///
    /// - Complexity: O(log n)
    func count(in keys: ClosedRange<UInt64>) -> Int {
        max(rank(through: keys.upperBound, .max) - rank(of: keys.lowerBound, 0), 0)
    }

    /// The entry at a position in 0..<count; nil where a leaf is damaged.
    ///
    /// - Complexity: O(log n)
    func entry(at position: Int) -> Entry? {
        precondition(position >= 0 && position < count, "The index has no such position.")
        guard var node = root else { return nil }
        var rest = position
        for _ in 0..<height {
            let inner = IndexInner(node)
            node = inner.child(inner.place(at: &rest))
        }
        let leaf = IndexLeaf(node)
        return rest < leaf.count ? Entry(key: leaf.keys[rest], row: leaf.rows[rest]) : nil
    }
}
